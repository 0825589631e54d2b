import type { Readable } from 'node:stream'
import { exitCodes } from './exit-codes.ts'
import { createOutput } from './output.ts'

/** Where text goes: a stream that may be a terminal. */
export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** A request of the system or of the person at the terminal that the command end. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Everything of the process that a command touches, so that a command runs the same inside a test. */
export interface Io {
  readonly stdin: Readable & {
    readonly isTTY?: boolean
    /** Where it is a terminal: hands over each key as it is pressed, and shows none. */
    setRawMode?(isRaw: boolean): unknown
  }
  /** Answers. */
  readonly stdout: OutputStream
  /** Progress, logs and errors. */
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workingDirectory: string
  /** Calls the listener for every signal until the returned function is called. */
  onStopSignal(listener: (signal: StopSignal) => void): () => void
  /** Calls the listener when the process ends, whatever the way, until the returned function is called. */
  onExit(listener: () => void): () => void
  /** Ends the process at once. */
  exit(code: number): void
}

/** The streams, environment and signals of this process. */
export function processIo(): Io {
  const stdout = createOutput(process.stdout, (error) => {
    stderr.stream.write(`error: the output cannot be written: ${error.message}\n`)
  })
  const stderr = createOutput(process.stderr, (error) => {
    // An answer for a program must stay what it is; the exit code tells those who do not look at a screen.
    if (stdout.stream.isTTY)
      stdout.stream.write(`error: progress and errors cannot be written: ${error.message}\n`)
  })
  // The last words of a command may be the ones that are lost, and streams tell so only later.
  process.on('exit', (code) => {
    if (code === exitCodes.succeeded && (stdout.loss ?? stderr.loss)) process.exitCode = exitCodes.environment
  })
  return {
    stdin: process.stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: process.env,
    workingDirectory: process.cwd(),
    onStopSignal(listener) {
      process.on('SIGINT', listener)
      process.on('SIGTERM', listener)
      return () => {
        process.off('SIGINT', listener)
        process.off('SIGTERM', listener)
      }
    },
    onExit(listener) {
      process.on('exit', listener)
      return () => process.off('exit', listener)
    },
    exit: (code) => process.exit(code),
  }
}
