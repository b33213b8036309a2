package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// console is an operator's input, one command per line.
type console struct {
	lines <-chan consoleLine
	out   io.Writer
}

// consoleLine is a line, or the reason why it cannot be run.
type consoleLine struct {
	text string
	err  error
}

// maxLine is the maximum length of a command line in bytes; terminals pass on so many at once.
const maxLine = 4096

// errLong is the error for a line that is too long. No part of it runs, since half of a command
// might be another command.
var errLong = fmt.Errorf("a line of more than %d bytes was left out; the lines after it are obeyed", maxLine)

// readConsole reads lines until the input ends. The host takes them between two steps, so that no
// command runs beside the game.
func readConsole(in io.Reader, out io.Writer) *console {
	lines := make(chan consoleLine, 16)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, maxLine+2)
		for more := true; more; {
			line, err := readLine(r)
			more = err == nil || err == errLong
			if err == io.EOF {
				err = nil
			} else if !more { // the line may be half of one
				err = fmt.Errorf("nothing more is obeyed, since the input broke: %w", err)
			}
			lines <- consoleLine{line, err}
		}
	}()
	return &console{lines, out}
}

// readLine returns the next line. After the last one, which need not end with a newline, it returns
// io.EOF or another error. For a line that is too long it returns errLong.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = r.ReadSlice('\n')
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	if long || len(text) > maxLine {
		return "", errLong // if the input has ended, the next read returns that
	}
	return text, err
}

// maxLines is the maximum number of lines that run between two steps, so that an endless input does
// not delay the game.
const maxLines = 16

// obey runs the console's lines until one of them is quit.
func (h *Host) obey() {
	c, quit := h.console, h.quit
	if c == nil {
		return
	}
	for range maxLines {
		select {
		case line, ok := <-c.lines:
			if !ok {
				h.console = nil // the input has ended
				return
			}
			err := line.err
			if err == nil {
				err = h.execute(line.text, c.out)
			}
			if err != nil {
				fmt.Fprintln(c.out, "error:", err)
			}
			if h.quit != quit {
				return
			}
		default:
			return
		}
	}
}
