package host

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

// commands returns the host's own commands. Those of the game follow them.
func (h *Host) commands() []Command {
	return []Command{
		{"players", "who plays: number, address, token, round trip, loss", h.listPlayers},
		{"kick N [REASON]", "remove a player", h.kick},
		{"ban N [REASON]", `remove a player and all with the same token, and keep that token away;
                              the player's address, if everybody has the token`, h.ban},
		{"banip N|ADDRESS [REASON]", "keep an address or a network such as 203.0.113.0/24 away, and all who play from there", h.banAddress},
		{"bans", "who is banned", h.listBans},
		{"unban ID", "lift a ban", h.unban},
		{"invite [USES [TIME]]", "a join link of its own, for one player unless given: invite 5 24h", h.invite},
		{"quit", "announce the end, drain, and go", func(string, io.Writer) error {
			h.quit = true
			return nil
		}},
	}
}

// execute runs one line.
func (h *Host) execute(line string, out io.Writer) error {
	all := append(h.commands(), h.settings.Commands...)
	word, args := cut(line)
	switch word {
	case "":
		return nil
	case "help", "?":
		for _, c := range all {
			fmt.Fprintf(out, "%-29s %s\n", c.Usage, c.Help)
		}
		return nil
	case "stop", "exit":
		word = "quit"
	}
	for _, c := range all {
		if name, _ := cut(c.Usage); name == word {
			return c.Run(args, out)
		}
	}
	return fmt.Errorf("there is no command %q; help lists them", word)
}

// cut returns the first word of a text and the rest, without outer blanks.
func cut(text string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return word, strings.TrimSpace(rest)
}

func (h *Host) kick(args string, out io.Writer) error {
	number, reason := cut(args)
	p, err := h.player(number)
	if err != nil {
		return err
	}
	p.Kick(cmp.Or(reason, "removed by the operator"))
	fmt.Fprintf(out, "kicked %d\n", p.Number())
	return nil
}

func (h *Host) listBans(_ string, out io.Writer) error {
	bans := h.access.Bans()
	for _, b := range bans {
		fmt.Fprintln(out, describeBan(b))
	}
	fmt.Fprintf(out, "%d bans\n", len(bans))
	return nil
}

func (h *Host) unban(args string, out io.Writer) error {
	text, _ := cut(args)
	id, err := strconv.Atoi(text)
	if err != nil || !h.access.Unban(id) {
		return fmt.Errorf("there is no ban %q; bans lists them", text)
	}
	fmt.Fprintf(out, "lifted ban %d\n", id)
	return h.access.save()
}

func (h *Host) player(number string) (found player, err error) {
	n, wrong := strconv.ParseUint(number, 10, 16)
	h.server.players(func(p player) {
		if wrong == nil && p.Number() == uint16(n) {
			found = p
		}
	})
	if found == nil {
		err = fmt.Errorf("there is no player %q; players lists them", number)
	}
	return found, err
}

func (h *Host) listPlayers(_ string, out io.Writer) error {
	var all []player
	h.server.players(func(p player) { all = append(all, p) })
	slices.SortFunc(all, func(a, b player) int { return cmp.Compare(a.Number(), b.Number()) })
	for _, p := range all {
		s, addr, token := p.Stats(), p.Addr(), "shared"
		if !h.access.shared(p.Token()) {
			token = "own"
		}
		switch {
		case !p.Connected():
			addr = "away"
		case addr == "":
			addr, token = "bot", "none"
		}
		fmt.Fprintf(out, "%5d  %-28s %-6s  rtt %4d ms  loss %4.1f %%  rate %5.1f kB/s (%v)  queue %4d ms\n", p.Number(), addr, token, s.RTT.Milliseconds(), 100*s.Loss,
			s.Path.Rate/1000, s.Path.Cause, s.Path.Queue.Milliseconds())
	}
	fmt.Fprintf(out, "%d players\n", len(all))
	return nil
}

// ban bans a player by the token that it joined with, since other players may share its address and
// the address may change. All players with that token are removed, too. A player with the server's
// own token is banned by its address.
func (h *Host) ban(args string, out io.Writer) error {
	whom, reason := cut(args)
	if strings.ContainsAny(whom, ".:") {
		return h.banAddress(args, out)
	}
	p, err := h.player(whom)
	if err != nil {
		return err
	}
	token, addr, only := p.Token(), "", ""
	if h.access.shared(token) {
		token, addr, only = nil, p.Addr(), ", since the player came with a link that others have, too: nobody joins from there any more"
	}
	b, err := h.access.Ban(h.access.clock(), token, addr, reason)
	if err != nil {
		return fmt.Errorf("player %d has neither an address now nor a token of its own to ban it by; kick removes it: %w", p.Number(), err)
	}
	p.Kick((&access.BannedError{Reason: b.Reason}).Error())
	if token != nil {
		h.removeBanned()
	}
	fmt.Fprintln(out, describeBan(b)+only)
	return h.access.save()
}

// removeBanned removes all players that a ban excludes.
func (h *Host) removeBanned() {
	now := h.access.clock()
	h.server.players(func(p player) {
		if err := h.access.Check(now, p.Addr(), p.Token(), p.ResumeID(), true); err != nil {
			p.Kick(err.Error())
		}
	})
}

// banAddress bans an address, a network, or the address of a player. All players from there are
// removed at once.
func (h *Host) banAddress(args string, out io.Writer) error {
	which, reason := cut(args)
	if !strings.ContainsAny(which, ".:") {
		p, err := h.player(which)
		if err != nil {
			return err
		}
		if which = p.Addr(); which == "" {
			return fmt.Errorf("player %d is away, or a bot, and has no address now; give one, or ban or kick the player", p.Number())
		}
	}
	b, err := h.access.Ban(h.access.clock(), nil, which, reason)
	if err != nil {
		return err
	}
	h.removeBanned()
	fmt.Fprintln(out, describeBan(b))
	return h.access.save()
}

func describeBan(b access.Ban) string {
	var what []string
	if b.Network.IsValid() {
		what = append(what, b.Network.String())
	}
	if b.Token != "" {
		what = append(what, "token "+b.Token[:8])
	}
	return strings.TrimSpace(fmt.Sprintf("ban %d: %s since %s %s", b.ID, strings.Join(what, " and "), b.Since.Format(time.DateTime), b.Reason))
}

// invite prints links with a new token.
func (h *Host) invite(args string, out io.Writer) error {
	uses, length := cut(args)
	terms := access.Invitation{Uses: 1}
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
		terms.Expires = h.access.clock().Add(d)
	}
	token, err := h.access.invite(terms)
	if err != nil {
		return err
	}
	for _, link := range h.links {
		link.Token = token
		fmt.Fprintln(out, link)
	}
	if page := h.pageLink(token); page != "" {
		fmt.Fprintln(out, page)
	}
	return h.access.save()
}
