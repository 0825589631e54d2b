import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { main } from '../../../src/cli/program.ts'
import type { Io, OutputStream, StopSignal } from '../../../src/cli/shared/io.ts'

/** How a command is run inside a test. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  /** The working directory. @default a new empty folder */
  readonly folder?: string
  readonly stdin?: string
  /** What somebody types at a terminal, in place of `stdin`. */
  readonly keyboard?: PassThrough
  /** stderr is a terminal of 80 × 24. */
  readonly isTerminal?: boolean
  /** Columns that stdout has. @default it is no terminal */
  readonly columns?: number
  /** Told before the command begins. */
  readonly onStart?: (command: RunningCommand) => void
  /** Told when the command ends its process. */
  readonly onExit?: (code: number) => void
  /** Told of every piece of text as it is written. */
  readonly onWrite?: (text: string, command: RunningCommand) => void
}

/** A command that has not ended yet. */
export interface RunningCommand {
  signal(signal: StopSignal): void
}

/** What a command came to. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The code of a call to `exit`, if there was one. */
  readonly exited: number | undefined
}

/** A new folder with these files, by their paths in it. It goes away with the test. */
export async function newFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Runs a command line in this process, with streams, environment and signals of its own. */
export async function opsbook(
  words: readonly string[],
  surroundings: Surroundings = {},
): Promise<CommandResult> {
  const folder = surroundings.folder ?? (await newFolder())
  const written = { stdout: '', stderr: '' }
  const signals = new Set<(signal: StopSignal) => void>()
  const exits = new Set<() => void>()
  const command: RunningCommand = {
    signal(signal) {
      for (const listener of signals) listener(signal)
    },
  }
  let exited: number | undefined
  const stream = (name: keyof typeof written, isTerminal: boolean): OutputStream => ({
    write(text) {
      written[name] += text
      surroundings.onWrite?.(text, command)
    },
    ...(isTerminal ? { isTTY: true, columns: 80, rows: 24 } : {}),
  })
  const listen = <L>(listeners: Set<L>, listener: L): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const io: Io = {
    stdin: surroundings.keyboard
      ? Object.assign(surroundings.keyboard, { isTTY: true })
      : Readable.from([surroundings.stdin ?? '']),
    stdout: {
      ...stream('stdout', false),
      ...(surroundings.columns === undefined ? {} : { columns: surroundings.columns }),
    },
    stderr: stream('stderr', surroundings.isTerminal === true),
    env: { HOME: folder, ...surroundings.env },
    workingDirectory: folder,
    onStopSignal: (listener) => listen(signals, listener),
    onExit: (listener) => listen(exits, listener),
    exit(code) {
      exited ??= code
      for (const listener of exits) listener()
      surroundings.onExit?.(code)
    },
  }
  surroundings.onStart?.(command)
  const code = await main(words, io, '0.0.0-test')
  return { code, ...written, exited }
}

/** A command that a person has to answer. */
export interface AskingCommand {
  readonly ended: Promise<CommandResult>
  signal(signal: StopSignal): void
}

/** Starts a command, and resolves once it has said of so many questions how they are answered. */
export function untilAsked(
  words: readonly string[],
  surroundings: Surroundings = {},
  questions = 1,
): Promise<AskingCommand> {
  return untilSaid(words, surroundings, 'no terminal to ask on', questions)
}

/** Starts a command, and resolves once it has written this so many times. Rejects where it ends before. */
export function untilSaid(
  words: readonly string[],
  surroundings: Surroundings,
  said: string,
  times = 1,
): Promise<AskingCommand> {
  return new Promise((resolve, reject) => {
    let count = 0
    const ended = opsbook(words, {
      ...surroundings,
      onWrite(text, { signal }) {
        count += text.split(said).length - 1
        if (count >= times) resolve({ ended, signal })
      },
    })
    ended.then(({ stderr }) => reject(new Error(`ended before it said "${said}": ${stderr}`)), reject)
  })
}
