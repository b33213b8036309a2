package play

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/referee"
	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

// console lets whoever runs the server say what is to be done, a line at a time.
type console struct {
	lines <-chan said
	out   io.Writer
}

// said is a line, or why it cannot be obeyed.
type said struct {
	line string
	err  error
}

// maxLine is the most bytes of a line that is obeyed; what terminals hand over at once.
const maxLine = 4096

// errLong is for a line of which nothing is done: half of a command might be another one.
var errLong = fmt.Errorf("a line of more than %d bytes was left out; what follows it is obeyed", maxLine)

// listen reads lines until the input ends. The match takes them between two steps, so nothing runs at the same time.
func listen(in io.Reader, out io.Writer) *console {
	lines := make(chan said, 16)
	go func() {
		defer close(lines)
		for r := bufio.NewReaderSize(in, maxLine+2); ; {
			line, err := readLine(r)
			switch {
			case err == nil || err == errLong:
				lines <- said{line, err}
			case err == io.EOF:
				lines <- said{line: line}
				return
			default: // what came of a line may be half of one
				lines <- said{err: fmt.Errorf("nothing more is obeyed, since the input broke: %w", err)}
				return
			}
		}
	}()
	return &console{lines, out}
}

// readLine returns the next line, with io.EOF or another error after the last one, which need not end; or errLong.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = r.ReadSlice('\n')
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	if long || len(text) > maxLine {
		return "", errLong // if the input has ended with it, the next read says so
	}
	return text, err
}

// commandHelp is what help prints.
const commandHelp = `players                       who plays: number, address, token, round trip, loss
kick N [REASON]               remove a player
ban N [REASON]                remove him, and keep the token of his own away; his address, if he has none
banip N|ADDRESS [REASON]      keep an address or a network such as 203.0.113.0/24 away, and all who play from there
bans                          who is banned
unban ID                      lift a ban
invite [USES [TIME]]          a join link of its own, for one player unless given: invite 5 24h
say TEXT                      tell all players
quit                          announce the end, drain, and go
`

// errQuit is returned by command for quit.
var errQuit = errors.New("quit")

// command does what a line says.
func (h *house) command(line string, out io.Writer) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	first, more, _ := strings.Cut(rest, " ")
	more = strings.TrimSpace(more)
	switch word {
	case "":
	case "help", "?":
		fmt.Fprint(out, commandHelp)
	case "players":
		h.listPlayers(out)
	case "kick":
		p, err := h.player(first)
		if err != nil {
			return err
		}
		p.Kick(cmp.Or(more, "removed by the operator"))
		fmt.Fprintf(out, "kicked %d\n", p.Number())
	case "ban":
		return h.ban(first, more, out)
	case "banip":
		return h.banAddress(first, more, out)
	case "bans":
		for _, b := range h.lobby.guests.list.Bans() {
			fmt.Fprintln(out, describeBan(b))
		}
		fmt.Fprintf(out, "%d bans\n", len(h.lobby.guests.list.Bans()))
	case "unban":
		id, err := strconv.Atoi(first)
		if err != nil || !h.lobby.guests.list.Unban(id) {
			return fmt.Errorf("there is no ban %q; bans lists them", first)
		}
		fmt.Fprintf(out, "lifted ban %d\n", id)
		return h.lobby.guests.save()
	case "invite":
		return h.invite(first, more, out)
	case "say":
		h.match.Server().Broadcast(arena.Notice(rest))
	case "quit", "stop", "exit":
		return errQuit
	default:
		return fmt.Errorf("there is no command %q; help lists them", word)
	}
	return nil
}

func (h *house) player(number string) (*referee.Player, error) {
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || h.match.Server().Player(uint16(n)) == nil {
		return nil, fmt.Errorf("there is no player %q; players lists them", number)
	}
	return h.match.Server().Player(uint16(n)), nil
}

func (h *house) listPlayers(out io.Writer) {
	var all []*referee.Player
	h.match.Server().Players(func(p *referee.Player) { all = append(all, p) })
	slices.SortFunc(all, func(a, b *referee.Player) int { return cmp.Compare(a.Number(), b.Number()) })
	for _, p := range all {
		s, addr, token := p.Stats(), p.Addr(), "shared"
		if !h.lobby.shared(p.Token()) {
			token = "own"
		}
		if !p.Connected() {
			addr = "away"
		}
		fmt.Fprintf(out, "%5d  %-28s %-6s  rtt %4d ms  loss %4.1f %%\n", p.Number(), addr, token, s.RTT.Milliseconds(), 100*s.Loss)
	}
	fmt.Fprintf(out, "%d players\n", len(all))
}

// shared reports whether a token is not one player's own.
func (l *lobby) shared(token []byte) bool {
	return string(token) == l.token || l.guests.list.Shared(token)
}

// ban keeps a player away, and nobody else if he has a token of his own: others may have his address, and he another one tomorrow. Without one there is nothing but his address to know him by.
func (h *house) ban(whom, reason string, out io.Writer) error {
	p, err := h.player(whom)
	if err != nil {
		if strings.ContainsAny(whom, ".:") {
			return h.banAddress(whom, reason, out)
		}
		return err
	}
	token, addr, only := p.Token(), "", ""
	if h.lobby.shared(token) {
		token, addr, only = nil, p.Addr(), ", since he came with a link that others have, too: nobody joins from there any more"
	}
	b, err := h.lobby.guests.list.Ban(h.lobby.guests.now(), token, addr, reason)
	if err != nil {
		return fmt.Errorf("player %d has neither an address now nor a token of his own to ban him by; kick removes him: %w", p.Number(), err)
	}
	p.Kick((&guestlist.BannedError{Reason: b.Reason}).Error())
	fmt.Fprintln(out, describeBan(b)+only)
	return h.lobby.guests.save()
}

// banAddress keeps everybody at an address or in a network away, or at the address of a player. Whoever plays from there goes at once.
func (h *house) banAddress(which, reason string, out io.Writer) error {
	list, now := &h.lobby.guests.list, h.lobby.guests.now()
	if !strings.ContainsAny(which, ".:") {
		p, err := h.player(which)
		if err != nil {
			return err
		}
		if which = p.Addr(); which == "" {
			return fmt.Errorf("player %d is away and has no address now; give one, or ban the player", p.Number())
		}
	}
	b, err := list.Ban(now, nil, which, reason)
	if err != nil {
		return err
	}
	h.match.Server().Players(func(p *referee.Player) {
		if err := list.Check(now, p.Addr(), p.Token(), p.Key(), true); err != nil {
			p.Kick(err.Error())
		}
	})
	fmt.Fprintln(out, describeBan(b))
	return h.lobby.guests.save()
}

func describeBan(b guestlist.Ban) string {
	var what []string
	if b.Network.IsValid() {
		what = append(what, b.Network.String())
	}
	if b.Token != "" {
		what = append(what, "token "+b.Token[:8])
	}
	return strings.TrimSpace(fmt.Sprintf("ban %d: %s since %s %s", b.ID, strings.Join(what, " and "), b.Since.Format(time.DateTime), b.Reason))
}

// invite prints links with a token of their own.
func (h *house) invite(uses, length string, out io.Writer) error {
	terms := guestlist.Token{Uses: 1}
	if uses != "" {
		n, err := strconv.Atoi(uses)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("invite %q: how many may join by the link, 1 to 1000000", uses)
		}
		terms.Uses = n
	}
	if length != "" {
		d, err := time.ParseDuration(length)
		if err != nil || d <= 0 {
			return fmt.Errorf("invite %s %q: how long the link is good, such as 24h", uses, length)
		}
		terms.Expires = h.lobby.guests.now().Add(d)
	}
	token, err := h.lobby.guests.invite(terms)
	if err != nil {
		return err
	}
	for _, link := range h.lobby.links {
		link.Token = token
		fmt.Fprintln(out, link)
	}
	return h.lobby.guests.save()
}

// maxLines is how many lines are obeyed between two steps: an input without an end must not hold up the game.
const maxLines = 16

// obey does what has been typed, and reports whether the server is to go.
func (h *house) obey(c *console) (quit bool) {
	if c == nil {
		return false
	}
	for range maxLines {
		select {
		case said, ok := <-c.lines:
			if !ok {
				c.lines = nil // nobody says anything more
				return false
			}
			err := said.err
			if err == nil {
				err = h.command(said.line, c.out)
			}
			switch {
			case errors.Is(err, errQuit):
				return true
			case err != nil:
				fmt.Fprintln(c.out, "error:", err)
			}
		default:
			return false
		}
	}
	return false
}
