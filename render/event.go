package render

// Event is an input or a change of state of a window. Its Kind decides which fields are set.
type Event struct {
	Kind   EventKind
	Key    Key         // KeyPress, KeyRepeat, KeyRelease
	Button MouseButton // MousePress, MouseRelease
	Mods   Mods        // of key and mouse events
	// mouse events: the cursor in points from the upper left; Scroll: the wheel's steps
	X, Y  float32
	Rune  rune // Char: a character, as text input
	Size  Size // Resize: the new size, empty when minimised
	Focus bool // Focus: gained, else lost
	// touch events: the finger, counted from 1 while it touches, and its place in X and Y; mouse
	// events that were made from touches: not zero
	Finger int
}

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	NoEvent EventKind = iota
	KeyPress
	KeyRepeat // the keyboard's own repetition while a key is held
	KeyRelease
	Char
	MousePress
	MouseRelease
	MouseMove
	Scroll
	Resize
	Focus // gained or lost; after a loss every key and button counts as released
	CloseRequest

	// Touches of a screen. Each is reported twice: first as what a mouse would report that does the
	// same (the first finger is the left button, two fingers are the right button and the wheel),
	// so that a program for the mouse works. A program that handles touches takes no mouse events
	// whose Finger is not zero.
	TouchPress
	TouchMove
	TouchRelease // also when the system takes the touch away
)

// Mods is a set of modifier keys.
type Mods uint8

const (
	ModShift Mods = 1 << iota
	ModControl
	ModAlt
	ModSuper
)

// MouseButton is a button of the mouse.
type MouseButton uint8

const (
	MouseLeft MouseButton = iota
	MouseRight
	MouseMiddle
	MouseOther
)

// Key is a key of the keyboard, named by the character printed on it on a US layout. Letters and
// digits have their ASCII codes: Key('A'), Key('7').
type Key uint16

const (
	KeyUnknown      Key = 0
	KeySpace        Key = ' '
	KeyApostrophe   Key = '\''
	KeyComma        Key = ','
	KeyMinus        Key = '-'
	KeyPeriod       Key = '.'
	KeySlash        Key = '/'
	KeySemicolon    Key = ';'
	KeyEqual        Key = '='
	KeyLeftBracket  Key = '['
	KeyBackslash    Key = '\\'
	KeyRightBracket Key = ']'
	KeyGrave        Key = '`'
)

const (
	KeyEscape Key = iota + 256
	KeyEnter
	KeyTab
	KeyBackspace
	KeyInsert
	KeyDelete
	KeyRight
	KeyLeft
	KeyDown
	KeyUp
	KeyPageUp
	KeyPageDown
	KeyHome
	KeyEnd
	KeyPause
	KeyShift   // left or right
	KeyControl // left or right
	KeyAlt     // left or right
	KeySuper   // left or right
	KeyPadAdd
	KeyPadSubtract
	KeyF1
	KeyF2
	KeyF3
	KeyF4
	KeyF5
	KeyF6
	KeyF7
	KeyF8
	KeyF9
	KeyF10
	KeyF11
	KeyF12

	keyEnd
)

// String returns the key's name as help texts show it: "A", "Space", "F1".
func (k Key) String() string {
	switch {
	case k == KeySpace:
		return "Space"
	case k > ' ' && k < 0x7f:
		return printableKeys[k-' ' : k-' '+1]
	case k >= KeyEscape && k < keyEnd:
		return keyNames[k-KeyEscape]
	}
	return "?"
}

const printableKeys = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

var keyNames = [...]string{
	"Esc", "Enter", "Tab", "Backspace", "Insert", "Delete", "→", "←", "↓", "↑", "PgUp", "PgDn", "Home", "End", "Pause",
	"Shift", "Ctrl", "Alt", "Super", "Num +", "Num −", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}
