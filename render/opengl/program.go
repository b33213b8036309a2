//go:build cgo || js

package opengl

import (
	"embed"
	"fmt"
	"strings"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

//go:embed shaders
var shaderFiles embed.FS

// program is a linked pair of shaders with the locations of its uniforms, -1 for a uniform that it
// does not have.
type program struct {
	id                             uint32
	mesh, now, weight, lightMatrix int32
	width, surface                 int32
}

// texture units
const (
	shadowUnit  = 0
	atlasUnit   = 1
	pictureUnit = 2
)

// defines returns the macros of all shaders.
func defines(taps int, spacing float32) string {
	var b strings.Builder
	for m := render.Mesh(0); m < render.MeshCount; m++ {
		fmt.Fprintf(&b, "#define %s %d\n", strings.ToUpper(m.String()), m)
	}
	fmt.Fprintf(&b, "#define TAPS %d\n#define TAP_SPACING %.3f\n", taps, spacing)
	if !gl.ClampsDepth() {
		b.WriteString("#define CLAMP\n")
	}
	return b.String()
}

// newProgram compiles a vertex and a fragment shader, each from the given macros and files.
func newProgram(macros, vertex, fragment string) (program, error) {
	vs, err := compile(gl.VERTEX_SHADER, macros, vertex)
	if err != nil {
		return program{}, err
	}
	defer gl.DeleteShader(vs)
	fs, err := compile(gl.FRAGMENT_SHADER, macros, fragment)
	if err != nil {
		return program{}, err
	}
	defer gl.DeleteShader(fs)

	p := program{id: gl.CreateProgram()}
	gl.AttachShader(p.id, vs)
	gl.AttachShader(p.id, fs)
	if log, ok := gl.LinkProgram(p.id); !ok {
		defer gl.DeleteProgram(p.id)
		return program{}, fmt.Errorf("opengl: linking %s with %s: %s", vertex, fragment, log)
	}
	uniform := func(name string) int32 { return gl.GetUniformLocation(p.id, name) }
	p.mesh = uniform("mesh")
	p.now = uniform("now")
	p.weight = uniform("weight")
	p.lightMatrix = uniform("lightMatrix")
	p.width = uniform("width")
	p.surface = uniform("surface")
	if block := gl.GetUniformBlockIndex(p.id, "Scene"); block != gl.INVALID_INDEX {
		gl.UniformBlockBinding(p.id, block, 0)
	}
	gl.UseProgram(p.id)
	if u := uniform("shadowMap"); u >= 0 {
		gl.Uniform1i(u, shadowUnit)
	}
	if u := uniform("atlas"); u >= 0 {
		gl.Uniform1i(u, atlasUnit)
	}
	if u := uniform("picture"); u >= 0 {
		gl.Uniform1i(u, pictureUnit)
	}
	return p, nil
}

// compile compiles a shader from files. Their names are separated by spaces.
func compile(kind uint32, macros, files string) (uint32, error) {
	var b strings.Builder
	b.WriteString(gl.Header)
	b.WriteString(macros)
	for i, f := range strings.Fields(files) {
		text, err := shaderFiles.ReadFile("shaders/" + f)
		if err != nil {
			panic("opengl: " + err.Error()) // all files are compiled in, so the name is misspelt
		}
		fmt.Fprintf(&b, "#line 1 %d\n%s\n", i, text)
	}
	id := gl.CreateShader(kind)
	gl.ShaderSource(id, b.String())
	if log, ok := gl.CompileShader(id); !ok {
		defer gl.DeleteShader(id)
		return 0, fmt.Errorf("opengl: compiling %s: %s", files, log)
	}
	return id, nil
}

// programs are the programs of a renderer. Index 0 of a pair takes poses, index 1 motions.
type programs struct {
	solid, glass, ghost, glow, halo, depth [2]program
	ground, sky, line, overlay, encode     program

	made []uint32
}

func newPrograms(macros string) (p programs, err error) {
	make1 := func(macros, vertex, fragment string) program {
		if err != nil {
			return program{}
		}
		var one program
		one, err = newProgram(macros, vertex, fragment)
		p.made = append(p.made, one.id)
		return one
	}
	for i, kind := range [2]string{"", "#define MOTION\n"} {
		m := macros + kind
		const vertex = "scene.glsl color.glsl pose.glsl instance.vert"
		p.solid[i] = make1(m, vertex, "scene.glsl light.glsl solid.frag")
		p.glass[i] = make1(m+"#define GLASS\n", vertex, "scene.glsl light.glsl solid.frag")
		p.ghost[i] = make1(m, vertex, "scene.glsl ghost.frag")
		p.glow[i] = make1(m, vertex, "scene.glsl glow.frag")
		p.halo[i] = make1(m+"#define HALO\n", vertex, "scene.glsl glow.frag")
		p.depth[i] = make1(m, "scene.glsl pose.glsl depth.vert", "depth.frag")
	}
	p.ground = make1(macros, "scene.glsl ground.vert", "scene.glsl light.glsl ground.frag")
	p.sky = make1(macros, "scene.glsl sky.vert", "scene.glsl sky.frag")
	p.line = make1(macros, "scene.glsl color.glsl line.vert", "line.frag")
	p.overlay = make1(macros, "overlay.vert", "overlay.frag")
	if !gl.SwitchesSRGB {
		p.encode = make1(macros, "encode.vert", "encode.frag")
	}
	return p, err
}

func (p *programs) delete() {
	for _, id := range p.made {
		gl.DeleteProgram(id)
	}
	*p = programs{}
}
