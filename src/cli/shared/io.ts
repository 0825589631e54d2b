import { fstatSync, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Surroundings } from '../../project/index.ts'
import { exitCodes } from './exit-codes.ts'

/** Where text goes: a stream that may be a terminal. */
export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** A request of the system or of the user that the command ends. */
export type StopSignal = (typeof stopSignals)[number]

/** SIGHUP comes when the terminal is closed, also at the end of an SSH session. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Everything of the process that a command touches, so that a command runs the same inside a test. */
export interface Io extends Surroundings {
  readonly stdin: Readable & {
    readonly isTTY?: boolean
    /** On a terminal: passes on each key as it is pressed, without showing it. */
    setRawMode?(isRaw: boolean): unknown
  }
  /** Answers. */
  readonly stdout: OutputStream
  /** Progress, logs and errors. */
  readonly stderr: OutputStream
  /** Calls the listener for every signal until the returned function is called. */
  onStopSignal(listener: (signal: StopSignal) => void): () => void
  /** Calls the listener when the process ends, whatever the way, until the returned function is called. */
  onExit(listener: () => void): () => void
  /** Ends the process immediately. */
  exit(code: number): void
}

/** The streams, environment and signals of this process. */
export function processIo(): Io {
  const stdout = createOutput(process.stdout, (error) => {
    stderr.stream.write(`error: the output cannot be written: ${error.message}\n`)
  })
  const stderr = createOutput(process.stderr, (error) => {
    // Output for a program must not change; programs get the exit code instead.
    if (stdout.stream.isTTY)
      stdout.stream.write(`error: progress and errors cannot be written: ${error.message}\n`)
  })
  // The last write can fail after the command has ended, since streams report errors later.
  process.on('exit', (code) => {
    if (code === exitCodes.succeeded && (stdout.loss() ?? stderr.loss()))
      process.exitCode = exitCodes.environment
  })
  return {
    stdin: process.stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: process.env,
    workingDirectory: process.cwd(),
    onStopSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener)
      return () => {
        for (const signal of stopSignals) process.off(signal, listener)
      }
    },
    onExit(listener) {
      process.on('exit', listener)
      return () => process.off('exit', listener)
    },
    exit: (code) => process.exit(code),
  }
}

/** A stream of this process whose errors do not stop the process. */
export interface Output {
  readonly stream: OutputStream
  /** Why text was lost; undefined if all of it arrived, or the reader closed the pipe. */
  loss(): Error | undefined
}

/**
 * Makes a stream whose errors never stop the command; after the first error nothing more is written. The results of a run
 * are in its journal in any case. A reader that closes the pipe (`| head`) is no loss.
 */
export function createOutput(
  target: NodeJS.WriteStream & { readonly fd: number },
  onLoss: (error: Error) => void,
  env: NodeJS.ProcessEnv = process.env,
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
        return target.columns ?? columnsOf(env)
      },
      get rows() {
        return target.rows
      },
    },
    loss: () => loss,
  }
}

/** `COLUMNS` sets the width of output that is not a terminal. */
function columnsOf({ COLUMNS: columns = '' }: NodeJS.ProcessEnv): number | undefined {
  return /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : undefined
}

function leadsToFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** Writes all bytes. A full disk accepts only a part of a text, which Node's own stream would not notice. */
function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}
