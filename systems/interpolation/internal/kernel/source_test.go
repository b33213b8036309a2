package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// After an AVX routine that leaves the upper halves of the registers dirty, ordinary floating-point
// code runs several times slower until they are cleared. So every return of a routine that uses
// YMM or ZMM registers follows a VZEROUPPER.
func TestEveryReturnClearsTheUpperHalves(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly found: %v", err)
	}
	// a register, or a macro that uses some
	wide := regexp.MustCompile(`\b[YZ]\d+\b|^\s*[A-Z_]+(\(.*\))?$`)
	returns := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, routine := range strings.Split(string(source), "\nTEXT ")[1:] {
			name := strings.TrimSpace(routine[:strings.IndexByte(routine, '(')])
			before, dirty := "", false
			for line := range strings.Lines(routine) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
				line = strings.TrimSpace(line)
				switch {
				case line == "" || strings.HasPrefix(line, "#") || strings.HasSuffix(line, "\\"):
					continue
				case line == "RET":
					returns++
					if dirty && before != "VZEROUPPER" {
						t.Errorf("%s: %s returns after %q, not after VZEROUPPER", file, name, before)
					}
				case wide.MatchString(line) && line != "VZEROUPPER" && line != "CPUID" && line != "XGETBV":
					dirty = true
				}
				before = line
			}
		}
	}
	if returns < 10 {
		t.Errorf("only %d returns found in %v", returns, files)
	}
}

// instructions are those that the assembly may use, by the flag of cpuid that covers them: detect
// asks for all of these, and for no other.
var instructions = map[string]string{
	"amd64":  `ADDQ CMOVQHI CMPB CMPL CMPQ CPUID DECQ IMUL3Q INCQ JEQ JMP JNE JNZ LEAQ MOVB MOVL MOVQ PREFETCHT1 RET SETEQ SFENCE SHLQ SHRQ SUBQ TESTL XORL XORQ`,
	"POPCNT": `POPCNTL`,
	"AVX": `VADDPD VADDPS VANDNPD VANDNPS VANDPD VANDPS VBLENDVPS VBROADCASTSS VCMPPD VCMPPS VCVTPD2PSY VCVTPS2PD VDIVPD VDIVPS VEXTRACTF128 VINSERTF128
		VMOVAPS VMOVD VMOVDQU VMOVHPS VMOVMSKPS VMOVNTPS VMOVSD VMOVUPS VMULPD VMULPS VORPD VORPS VPERMILPS VPEXTRD VPINSRD VPTEST VSHUFPS VSQRTPD VSQRTPS VSUBPS
		VUNPCKHPD VUNPCKHPS VUNPCKLPS VXORPS VZEROUPPER`,
	"AVX2":    `VEXTRACTI128 VINSERTI128 VPADDD VPAND VPANDN VPBROADCASTD VPCMPEQD VPERMPS VPMAXUD VPMINUD VPMOVZXBD VPOR VPSHUFD VPSLLD VPSLLQ VPSRLD VPSRLQ VPSUBD VPXOR`,
	"OSXSAVE": `XGETBV`,
	// With 512 bits, masks, broadcasts or registers above 15; of what stands above without them,
	// what has such a form in the foundation. VL gives it 256 and 128 bits.
	"AVX512F": `VADDPS VBROADCASTSS VDIVPS VINSERTF64X4 VMOVAPS VMOVDQU32 VMOVUPS VMULPS VPANDND VPBROADCASTD VPCMPEQD VPERMPS VPSLLD VPSRLD
		VPTERNLOGD VSHUFF64X2 VSQRTPS VSUBPS`,
}

// An instruction that a processor does not have ends the process. So each is one that detect has
// asked for, and in its wide form only where AVX-512 was asked for.
func TestInstructionsAreDetected(t *testing.T) {
	listed := func(flags ...string) map[string]bool {
		set := map[string]bool{}
		for _, flag := range flags {
			for _, name := range strings.Fields(instructions[flag]) {
				set[name] = true
			}
		}
		return set
	}
	narrow, wide := listed("amd64", "POPCNT", "AVX", "AVX2", "OSXSAVE"), listed("AVX512F")
	files, _ := filepath.Glob("*_amd64.[hs]")
	isInstruction := regexp.MustCompile(`^[A-Z][A-Z0-9]+(\.[A-Z]+)?$`)
	isWide := regexp.MustCompile(`\b(Z\d+|[XY](1[6-9]|2\d|3[01])|K[0-7])\b|\.BCST`)
	macro := regexp.MustCompile(`(?m)^#define (\w+)`)
	macros, sources := map[string]bool{"TEXT": true, "PCALIGN": true}, map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(source)
		for _, name := range macro.FindAllStringSubmatch(string(source), -1) {
			macros[name[1]] = true
		}
	}
	used := map[string]bool{}
	for file, source := range sources {
		for line := range strings.Lines(source) {
			line, _, _ = strings.Cut(line, "//")
			if strings.HasPrefix(line, "#define") { // what stands behind the name is other macros'
				continue
			}
			for part := range strings.SplitSeq(strings.TrimRight(strings.TrimSpace(line), `\ `), ";") {
				name, operands, _ := strings.Cut(strings.TrimSpace(part), " ")
				if name, _, _ = strings.Cut(name, "("); !isInstruction.MatchString(name) || macros[name] {
					continue
				}
				used[name] = true
				switch {
				case isWide.MatchString(operands) || strings.Contains(name, ".") || file == "blend512_amd64.s" && !narrow[name]:
					// some of its macros are given the registers
					if !wide[name] {
						t.Errorf("%s: %s is no instruction of the foundation of AVX-512", file, name+" "+operands)
					}
					if !strings.Contains(file, "512") {
						t.Errorf("%s: %s is of AVX-512, and this file is for AVX2", file, name+" "+operands)
					}
				case !narrow[name]:
					t.Errorf("%s: %s is no instruction of AVX2", file, name+" "+operands)
				}
			}
		}
	}
	for name := range listed("amd64", "POPCNT", "AVX", "AVX2", "OSXSAVE", "AVX512F") {
		if !used[name] {
			t.Errorf("%s is listed, but not used", name)
		}
	}
}
