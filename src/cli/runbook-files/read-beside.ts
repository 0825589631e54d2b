import { closeSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mostBytes } from './read-runbook-text.ts'

/** Reads the runbooks that one runs, by their paths from its folder. Undefined for what cannot be read. */
export function readBeside(file: string): (path: string) => Uint8Array | undefined {
  const folder = dirname(file)
  return (path) => {
    try {
      return readBeginning(join(folder, path))
    } catch {
      return undefined
    }
  }
}

function readBeginning(file: string): Uint8Array {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(mostBytes)
    return buffer.subarray(0, readSync(handle, buffer, 0, mostBytes, 0))
  } finally {
    closeSync(handle)
  }
}
