package options

import (
	"io"
	"slices"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// ParsePage reads the parameters of a page's address: the flags of a scene, or of a player if match
// is set, or with the parameter replay, which names a recording, those of a replay. A page has no
// flags for files, for the size of the window, and for the end of the run. A parameter without a
// value is a switch. The browser sets the pace of frames unless fps does.
func ParsePage(parameters [][2]string, match bool) (Options, error) {
	o := Options{Settings: settings.Default()}
	s := flags.New("")
	replay := slices.ContainsFunc(parameters, func(p [2]string) bool { return p[0] == "replay" })
	switch {
	case replay:
		o = *NewMatch()
		s.StringVar(&o.Recording, "replay", "", "")
		o.timeFlags(s)
	case match:
		o = *NewMatch()
		s.IntVar(&o.Rate, "hz", 60, "fixed steps per second, those of the server")
		s.Uint64Var(&o.Seed, "seed", 1, "")
		o.playFlags(s)
		o.MatchLineFlags(s)
	default:
		o.sceneFlags(s)
		o.labFlags(s)
	}
	o.pictureFlags(s)
	o.Cap = 0
	var args []string
	for _, p := range parameters {
		arg := "-" + p[0]
		if p[1] != "" {
			arg += "=" + p[1]
		}
		args = append(args, arg)
	}
	if err := s.Read(args, io.Discard, "", ""); err == flags.ErrHelp {
		return Options{}, flags.Badf("there is no help in a page: the key H explains the keys")
	} else if err != nil {
		return Options{}, err
	}
	if !match && !replay && o.Scene == settings.Arena {
		return Options{}, flags.Badf("-scene %s: a match needs a server; open the link that it prints, which ends in # and a token", settings.Arena)
	}
	if match && !replay && (o.Rate < 10 || o.Rate > 240) {
		return Options{}, flags.Badf("-hz %d: the fixed rate of a match is that of its server, 10 to 240 steps per second", o.Rate)
	}
	if err := o.Check(s); err != nil {
		return Options{}, err
	}
	return o, nil
}
