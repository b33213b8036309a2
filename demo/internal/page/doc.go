// Package page runs the demo in a page of a browser: it reads the page's address, shows a scene or
// a match on the page's canvas, and reports the end to the page. It has code for js only.
//
// The page's script listens to the event "tandem" of the document. Its detail is an object: error
// is set if the run cannot go on, and text says why it has ended. For tests, window.tandem.state()
// returns what the run shows, with times in milliseconds. Nothing else is exposed.
package page
