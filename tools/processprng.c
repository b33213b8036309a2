/* bcryptprimitives.dll for a wine that lacks it, as 8.0 does: Go's runtime needs ProcessPrng from it, and nothing else. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG length); /* advapi32: RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
	return SystemFunction036(data, (ULONG)length);
}
