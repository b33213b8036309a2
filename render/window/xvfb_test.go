//go:build cgo && linux

package window

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// startXvfb starts a virtual display of the given density on a free number, sets DISPLAY for the
// test, and stops it afterwards.
func startXvfb(t *testing.T, dpi int) {
	t.Helper()
	program, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("Xvfb is not installed (Debian and Ubuntu: apt install xvfb): the window is not tested")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := exec.Command(program, "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		x.Process.Signal(os.Interrupt) // lets it remove its lock file
		x.Wait()
	})
	// The server writes its number once it listens; it closes the pipe if it cannot start.
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Skipf("Xvfb does not start here (%v): the window is not tested", err)
	}
	number = strings.TrimSpace(number)
	if err := setDensity("/tmp/.X11-unix/X"+number, dpi); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", ":"+number)
	t.Setenv("WAYLAND_DISPLAY", "")
}

// setDensity sets the dots per inch of a display as desktops do: by the resource Xft.dpi, a
// property of the root window. It has only the part of the X protocol that this needs, since the
// tools for it are rarely installed.
func setDensity(socket string, dpi int) error {
	c, err := net.Dial("unix", socket)
	if err != nil {
		// if the folder of sockets cannot be made, there is still the abstract one
		c, err = net.Dial("unix", "@"+socket)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		// little-endian, version 11.0, no authorisation
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(c, head); err != nil {
		return err
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(c, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return fmt.Errorf("the display refuses: %q", body)
	}
	vendor := int(binary.LittleEndian.Uint16(body[16:]))
	// after the vendor's name and the picture formats
	screen := 32 + (vendor+3)/4*4 + 8*int(body[21])
	root := binary.LittleEndian.Uint32(body[screen:])

	value := fmt.Sprintf("Xft.dpi:\t%d\n", dpi)
	padded := (len(value) + 3) / 4
	const changeProperty, resourceManager, str = 18, 23, 31 // an opcode and two predefined atoms
	request := []byte{changeProperty, 0, byte(6 + padded), 0}
	for _, v := range []uint32{root, resourceManager, str, 8, uint32(len(value))} {
		request = binary.LittleEndian.AppendUint32(request, v)
	}
	request = append(request, value...)
	request = append(request, make([]byte, 4*padded-len(value))...)
	// GetInputFocus: after its answer the property is set
	request = append(request, 43, 0, 1, 0)
	if _, err := c.Write(request); err != nil {
		return err
	}
	_, err = io.ReadFull(c, make([]byte, 32))
	return err
}

// xdotool sends input to the display.
func xdotool(args ...string) error {
	out, err := exec.Command("xdotool", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("xdotool %v: %w: %s", args, err, out)
	}
	return nil
}
