import { fstatSync, writeSync } from 'node:fs'
import type { OutputStream } from './io.ts'

/** A stream of this process that may break without harm to what the process is doing. */
export interface Output {
  readonly stream: OutputStream
  /** Why text was lost; undefined while all of it arrived, or where the reader only went away. */
  readonly loss: Error | undefined
}

/**
 * Text written to a stream never stops the command, and after the first error nothing more is written. What a run
 * has done stands in its journal, whoever can read about it. A reader that goes away (`| head`) is no loss.
 */
export function createOutput(
  target: NodeJS.WriteStream & { readonly fd: number },
  onLoss: (error: Error) => void,
): Output {
  let isBroken = false
  let loss: Error | undefined
  const fail = (error: NodeJS.ErrnoException): void => {
    if (isBroken) return
    isBroken = true
    if (error.code === 'EPIPE') return
    loss = error
    onLoss(error)
  }
  target.on('error', fail)
  const isFile = leadsToFile(target.fd)
  return {
    stream: {
      write(text) {
        if (isBroken) return
        if (!isFile) return target.write(text)
        try {
          writeWhole(target.fd, text)
        } catch (error) {
          fail(error as NodeJS.ErrnoException)
        }
      },
      get isTTY() {
        return target.isTTY
      },
      get columns() {
        return target.columns
      },
      get rows() {
        return target.rows
      },
    },
    get loss() {
      return loss
    },
  }
}

function leadsToFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** A disk that fills up takes a part of the text, and Node's own stream would not notice. */
function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}
