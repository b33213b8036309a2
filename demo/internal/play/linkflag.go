package play

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// linkFlag is the flag -connect of the commands that join. A join link holds a token, and all users
// of a machine can read the command lines of its processes. So the link can also come from a file,
// the standard input or the environment.
type linkFlag struct {
	text string
	link joinlink.Link
}

// connectVariable is the environment variable that holds the join link when -connect is left out.
const connectVariable = "TANDEM_CONNECT"

// maxLink is a limit on the bytes of a join link. Real links are shorter.
const maxLink = 4096

func (c *linkFlag) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.text, "connect", "", "the join `link` that the server printed, in quotes; @FILE: read it from a file; -: from the standard input; left out: from the environment variable "+
		connectVariable+". Other users of this machine can read command lines, and the token in the link: on a shared machine use one of the other three ways")
}

// check reads the join link. Call it after all other checks, because a person may have to type on
// the standard input.
func (c *linkFlag) check(in io.Reader) (err error) {
	text, from := c.text, "-connect"
	switch file, isFile := strings.CutPrefix(c.text, "@"); {
	case c.text == "":
		from = connectVariable
		text = os.Getenv(connectVariable)
		// Programs started by this one must not inherit it.
		if err := os.Unsetenv(connectVariable); err != nil {
			return err
		}
		if text == "" {
			return badf("-connect: give the join link that the server printed, as -connect 'tandem://HOST:PORT#...', -connect @FILE, -connect - for the standard input, or in %s", connectVariable)
		}
	case c.text == "-":
		from = "-connect -: on the standard input"
		text, err = readLink(in)
	case isFile:
		from = "-connect " + c.text
		text, err = readLinkFile(file)
	}
	if err != nil {
		return badf("%s: %w", from, err)
	}
	if c.link, err = joinlink.Parse(strings.TrimSpace(text)); err != nil {
		return badf("%s: %w", from, err)
	}
	return nil
}

func readLinkFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readLink(f)
}

// readLink returns the first non-empty line.
func readLink(in io.Reader) (string, error) {
	r := bufio.NewReaderSize(in, maxLink)
	for range maxLink {
		line, err := r.ReadSlice('\n')
		text := strings.TrimSpace(string(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a line of more than %d bytes is no join link", maxLink)
		case text != "" && (err == nil || err == io.EOF):
			return text, nil
		case err == io.EOF:
			return "", errors.New("it contains no join link")
		case err != nil:
			return "", err
		}
	}
	return "", errors.New("it contains only empty lines and no join link")
}
