//go:build cgo && linux

package offscreen

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// The few declarations of EGL 1.5 that are needed, written out, so that no header is.
typedef void *EGLHandle;
typedef int32_t EGLInt;
typedef unsigned int EGLBool;

static void *library;
static void *(*eglGetProcAddress_)(const char *);
static EGLHandle (*eglGetPlatformDisplayEXT_)(unsigned int, void *, const EGLInt *);
static EGLHandle (*eglGetDisplay_)(void *);
static EGLBool (*eglQueryDevicesEXT_)(EGLInt, EGLHandle *, EGLInt *);
static EGLBool (*eglInitialize_)(EGLHandle, EGLInt *, EGLInt *);
static EGLBool (*eglBindAPI_)(unsigned int);
static EGLBool (*eglChooseConfig_)(EGLHandle, const EGLInt *, EGLHandle *, EGLInt, EGLInt *);
static EGLHandle (*eglCreateContext_)(EGLHandle, EGLHandle, EGLHandle, const EGLInt *);
static EGLBool (*eglDestroyContext_)(EGLHandle, EGLHandle);
static EGLBool (*eglMakeCurrent_)(EGLHandle, EGLHandle, EGLHandle, EGLHandle);
static const char *(*eglQueryString_)(EGLHandle, EGLInt);
static EGLInt (*eglGetError_)(void);

// load returns what went wrong, or NULL.
static const char *load(void) {
	if (library) return NULL;
	void *l = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!l) return dlerror();
	#define GET(f) if (!(*(void **)&f##_ = dlsym(l, #f))) { dlclose(l); return "libEGL.so.1 lacks " #f; }
	GET(eglGetProcAddress) GET(eglGetDisplay) GET(eglInitialize) GET(eglBindAPI) GET(eglChooseConfig)
	GET(eglCreateContext) GET(eglDestroyContext) GET(eglMakeCurrent) GET(eglQueryString) GET(eglGetError)
	#undef GET
	*(void **)&eglGetPlatformDisplayEXT_ = eglGetProcAddress_("eglGetPlatformDisplayEXT");
	*(void **)&eglQueryDevicesEXT_ = eglGetProcAddress_("eglQueryDevicesEXT");
	library = l;
	return NULL;
}

static void *procAddress(const char *name) { return eglGetProcAddress_(name); }

static const char *clientExtensions(void) { return eglQueryString_(NULL, 0x3055); }
static const char *displayExtensions(EGLHandle d) { return eglQueryString_(d, 0x3055); }

static EGLHandle surfacelessDisplay(void) { return eglGetPlatformDisplayEXT_ ? eglGetPlatformDisplayEXT_(0x31DD, NULL, NULL) : NULL; }
static EGLHandle defaultDisplay(void) { return eglGetDisplay_(NULL); }

// deviceDisplay is the display of the i-th graphics device, NULL when there are fewer.
static EGLHandle deviceDisplay(EGLInt i) {
	EGLHandle devices[16];
	EGLInt n = 0;
	if (!eglQueryDevicesEXT_ || !eglGetPlatformDisplayEXT_ || !eglQueryDevicesEXT_(16, devices, &n) || i >= n) return NULL;
	return eglGetPlatformDisplayEXT_(0x313F, devices[i], NULL);
}

static EGLBool initialize(EGLHandle d) { EGLInt major, minor; return eglInitialize_(d, &major, &minor); }

// createContext makes an OpenGL 3.3 core context and makes it current without a surface. It returns the name of the call that failed, or NULL.
static const char *createContext(EGLHandle d, EGLHandle *context) {
	if (!eglBindAPI_(0x30A2)) return "eglBindAPI";
	// Any configuration that can do OpenGL: everything is drawn into framebuffer objects.
	const EGLInt wanted[] = {0x3033, 0, 0x3040, 0x0008, 0x3038};
	EGLHandle config = NULL;
	EGLInt n = 0;
	if (!eglChooseConfig_(d, wanted, &config, 1, &n) || n < 1) return "eglChooseConfig";
	const EGLInt version[] = {0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x3038};
	*context = eglCreateContext_(d, config, NULL, version);
	if (!*context) return "eglCreateContext";
	if (!eglMakeCurrent_(d, NULL, NULL, *context)) {
		eglDestroyContext_(d, *context);
		return "eglMakeCurrent";
	}
	return NULL;
}

static void destroyContext(EGLHandle d, EGLHandle context) {
	eglMakeCurrent_(d, NULL, NULL, NULL);
	eglDestroyContext_(d, context);
}

static EGLInt lastError(void) { return eglGetError_(); }
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// loading keeps two first calls of New on different threads from loading the library at once.
var loading sync.Mutex

// context is an OpenGL context without a window, current on the thread that made it.
type context struct {
	display, handle C.EGLHandle
}

// platforms are the ways to a context, in the order in which they are tried: Mesa's without a
// surface, each graphics device (the way of NVIDIA's driver), and the default display.
var platforms = [...]string{"surfaceless", "device", "default"}

// newContext makes a context on the first of the platforms that can.
func newContext(platforms ...string) (*context, error) {
	loading.Lock()
	problem := C.load()
	loading.Unlock()
	if problem != nil {
		return nil, fmt.Errorf("cannot load libEGL.so.1 (%s): install it (Debian and Ubuntu: apt install libegl1 libgl1)", C.GoString(problem))
	}
	var failures []string
	extensions := C.GoString(C.clientExtensions())
	for _, platform := range platforms {
		for i := 0; i < maxDevices; i++ {
			var display C.EGLHandle
			switch {
			case platform == "surfaceless" && i == 0 && strings.Contains(extensions, "EGL_MESA_platform_surfaceless"):
				display = C.surfacelessDisplay()
			case platform == "device" && strings.Contains(extensions, "EGL_EXT_platform_device"):
				display = C.deviceDisplay(C.EGLInt(i))
			case platform == "default" && i == 0:
				display = C.defaultDisplay()
			}
			if display == nil {
				break
			}
			c, err := openContext(display)
			if err == nil {
				return c, nil
			}
			failures = append(failures, fmt.Sprintf("%s %d: %v", platform, i, err))
		}
	}
	if len(failures) == 0 {
		failures = append(failures, "it has no platform that can draw without a display")
	}
	return nil, fmt.Errorf("EGL offers no OpenGL 3.3 core context (%s): install an OpenGL driver (Debian and Ubuntu: apt install libegl1 libgl1 libgl1-mesa-dri)", strings.Join(failures, "; "))
}

const maxDevices = 16

func openContext(display C.EGLHandle) (*context, error) {
	if C.initialize(display) == 0 {
		return nil, fmt.Errorf("eglInitialize failed with 0x%x", int(C.lastError()))
	}
	if !strings.Contains(C.GoString(C.displayExtensions(display)), "EGL_KHR_surfaceless_context") {
		return nil, errors.New("contexts without a surface are not supported")
	}
	c := &context{display: display}
	if call := C.createContext(display, &c.handle); call != nil {
		return nil, fmt.Errorf("%s failed with 0x%x", C.GoString(call), int(C.lastError()))
	}
	return c, nil
}

func (c *context) procAddress(name string) unsafe.Pointer {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.procAddress(s)
}

// close frees the context. The display stays initialised: other contexts of the process share it.
func (c *context) close() { C.destroyContext(c.display, c.handle) }
