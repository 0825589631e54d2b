/** The types of Node do not say that it has WebAssembly. */
declare const WebAssembly: {
  readonly Memory: new (options: {
    initial: number
    maximum: number
    shared: true
  }) => { readonly buffer: SharedArrayBuffer }
}

const pageBytes = 64 * 1024

/** What the last record left. The system gets such memory back late, so that record after record would take more. */
let spare: SharedArrayBuffer | undefined

/**
 * Memory that threads share and that can be written to disk directly: that of WebAssembly begins at the border of a
 * page. The system gives it out as it is used: what a short stream leaves over takes none.
 */
export function takeBlockMemory(bytes: number): SharedArrayBuffer {
  if (spare?.byteLength === bytes) {
    const memory = spare
    spare = undefined
    return memory
  }
  const pages = Math.ceil(bytes / pageBytes)
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer
  } catch {
    // It takes much address space, which can be limited. Other memory is written by way of the cache.
    return new SharedArrayBuffer(bytes)
  }
}

/** For the next one to take. Nobody may be reading or writing it any more. */
export function leaveBlockMemory(memory: SharedArrayBuffer): void {
  spare = memory
}
