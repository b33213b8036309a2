package ecs_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/ecs"
)

type plugin struct{ installed int }

func (p *plugin) Install(*ecs.Engine) { p.installed++ }

type otherPlugin struct{ log *[]string }

func (p otherPlugin) Install(e *ecs.Engine) {
	e.Add(ecs.Render, &probe{name: "of the plugin", log: p.log})
	e.Install(&plugin{}) // plugins may bring others
}

func TestInstall(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	var log []string
	e.Install(otherPlugin{&log})
	e.Update(0)
	checkLog(t, log, "init of the plugin", "update of the plugin")
	p := &plugin{}
	mustPanic(t, func() { e.Install(p) }, "*ecs_test.plugin", "already installed", "one of each kind")
	if p.installed != 0 {
		t.Error("a refused plugin was installed all the same")
	}
	mustPanic(t, func() { e.Install(otherPlugin{}) }, "otherPlugin")
	mustPanic(t, func() { e.Install(nil) }, "nil plugin", "pass a plugin")
}
