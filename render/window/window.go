// Package window opens a window and draws on it, with GLFW for the window, keyboard and mouse, and
// with package opengl for the picture. [Open] returns a [Window]. In a browser the window is a
// canvas of the page.
//
//	win, err := window.Open(window.Config{Title: "game"})
//	if errors.Is(err, window.ErrNoDisplay) { ... draw off screen instead ... }
//	defer win.Close()
//
// # The main thread
//
// Operating systems want windows to be handled by the thread on which the program started.
// Importing this package ties the main goroutine to that thread (runtime.LockOSThread in an init
// function). Call everything here from main, or from functions that main calls. Other goroutines
// may do anything else.
//
// # Changes of the window
//
// A minimised window has an empty size and draws nothing, and Poll waits a little for events, so
// that a loop around it does not spin. A resize, or a change of the display's pixel density, takes
// effect with the next frame. When the window loses the focus, it reports a release of every key
// that was down.
//
// # In a browser
//
// The window is the page's first canvas element. Without one, Open adds a canvas that covers the
// page. The page's style decides its size, and the fields Width, Height and Hidden of [Config] have
// no effect. Draw waits for the browser's next animation frame, which cannot be switched off. So
// the same loop runs here, and the main goroutine needs no callbacks.
//
// A hidden page counts as minimised. A Worker then wakes Poll 20 times a second, because timers of
// a hidden page stop, and a networked game goes on. Keys that the browser would use to scroll or to
// move the focus (Space, Tab, the arrows and the like) belong to the window. With Control, Alt or
// the system's key held, keys belong to the browser. Touches become touch events and mouse events
// (see [render.TouchPress]). Full screen works only as an answer to a key, a click or a touch.
package window

import (
	"errors"

	"github.com/tandem-ecs/tandem/render"
)

// ErrNoDisplay is returned by Open when no display is set, or when it cannot be reached. Drawing
// off screen may still be possible.
var ErrNoDisplay = errors.New("no display to open a window on")

// ErrNoOpenGL is returned by Open when the display has no OpenGL 3.3, or the browser no WebGL2.
var ErrNoOpenGL = errors.New("the display offers no OpenGL 3.3 core profile")

// Config describes a window. Its zero value works.
type Config struct {
	Title         string // zero means "Tandem"
	Width, Height int    // in points; zero means 1280 by 720
	// factor of the overlay's size beside that of the display's density; zero means 1
	Scale   float32
	Quality render.Quality // zero chooses by the kind of graphics processor
	NoVSync bool           // see [Window.SetVSync]
	Hidden  bool           // for tests
}

func (c Config) withDefaults() (Config, error) {
	if c.Title == "" {
		c.Title = "Tandem"
	}
	if c.Width == 0 && c.Height == 0 {
		c.Width, c.Height = 1280, 720
	}
	if c.Width < 1 || c.Height < 1 || c.Width > 16384 || c.Height > 16384 {
		return c, errors.New("window: width and height must be between 1 and 16384 points")
	}
	if c.Scale == 0 {
		c.Scale = 1
	}
	if !(c.Scale >= 0.25 && c.Scale <= 8) {
		return c, errors.New("window: the scale must be between 0.25 and 8")
	}
	return c, nil
}
