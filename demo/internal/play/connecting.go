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

// connecting is the flag of the commands that join. A join link holds a token, and all users of a
// machine can read the command lines of its processes: so the link also comes from a file, the
// standard input or the environment.
type connecting struct {
	text string
	link joinlink.Link
}

// connectVariable is the variable of the environment that holds the join link where -connect is
// left out.
const connectVariable = "TANDEM_CONNECT"

// maxLink is more bytes than a join link has.
const maxLink = 4096

func (c *connecting) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.text, "connect", "", "a join `link` that the server has printed, in quotes; @FILE: the one in a file; -: the one on the standard input; left out: the one in "+
		connectVariable+". Others on this machine can read command lines, and with a link its token: on a shared machine use one of the last three")
}

// check reads the join link, last of all flags: the standard input may be a person's.
func (c *connecting) check(in io.Reader) (err error) {
	text, from := c.text, "-connect"
	switch file, isFile := strings.CutPrefix(c.text, "@"); {
	case c.text == "":
		from = connectVariable
		text = os.Getenv(connectVariable)
		// No program that this one starts needs it.
		if err := os.Unsetenv(connectVariable); err != nil {
			return err
		}
		if text == "" {
			return badf("-connect: give the join link that the server has printed, as -connect 'tandem://HOST:PORT#...', -connect @FILE, -connect - for the standard input, or in %s", connectVariable)
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

// readLink returns the first line that is not empty.
func readLink(in io.Reader) (string, error) {
	r := bufio.NewReaderSize(in, maxLink)
	for range maxLink {
		line, err := r.ReadSlice('\n')
		text := strings.TrimSpace(string(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a line of more than %d bytes, and no join link", maxLink)
		case text != "" && (err == nil || err == io.EOF):
			return text, nil
		case err == io.EOF:
			return "", errors.New("there is no join link in it")
		case err != nil:
			return "", err
		}
	}
	return "", errors.New("there are empty lines, and no join link")
}
