import { createInterface, type Interface } from 'node:readline'
import { coversLines } from '../../core/approval/index.ts'
import { formatDuration } from '../../core/duration.ts'
import type { GivenAnswer, Question } from '../../core/people/index.ts'
import { identityText } from '../../core/record/index.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { AskHere } from '../../engine/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import { locationFlags } from '../shared/flag-values.ts'
import type { Io } from '../shared/io.ts'
import type { ViewOptions } from '../shared/options.ts'

import { wrap } from '../shared/terminal/columns.ts'
import { printable, printableLine } from '../shared/terminal/printable.ts'
import type { RunViews } from './open-views.ts'

/**
 * Asks the questions of a run on the terminal, one at a time. Without a terminal, it prints the command that answers the
 * question.
 */
export function createAsker(
  context: CommandContext,
  options: ViewOptions,
  { follower, mask, state }: RunViews,
): AskHere {
  const { io } = context
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true
  const enqueue = createQueue()
  return async (question, signal) => {
    if (!isTerminal) {
      const command = [
        'opsbook approve',
        state.runId ?? 'RUN',
        shellWord(question.path),
        locationFlags(options),
      ]
        .join(' ')
        .trim()
      const text = `no terminal to ask on: ${state.items.label(question.path)} waits for "${command}" or "${command.replace('approve', 'reject')}"`
      // Also shown with --quiet: without an answer the run could wait forever.
      if (options.quiet) tell(context, text)
      else follower.say(text)
      return undefined
    }
    return enqueue(async () => {
      if (signal.aborted) return undefined
      follower.pause()
      const clean = (text: string): string => printableLine(mask.text(text))
      const path = clean(state.items.label(question.path))
      const asked = { ...question, path, message: printable(mask.text(question.message)) }
      try {
        return await askOnTerminal(context, asked, signal, clean)
      } finally {
        follower.continue()
      }
    })
  }
}

/** Runs one task at a time, so that an answer cannot be given to the wrong question. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}

/**
 * Asks the user at the terminal, and records the system user as the approver. Undefined: the input was closed, or the
 * question no longer needs an answer.
 */
async function askOnTerminal(
  context: CommandContext,
  { path, message, timeoutMs, covers }: Question,
  signal: AbortSignal,
  clean: (text: string) => string,
): Promise<GivenAnswer | undefined> {
  const { io, errorPaint } = context
  const time =
    timeoutMs === undefined ? '' : ` (within ${formatDuration(Math.ceil(timeoutMs / 1000) * 1000)})`
  tell(context, [
    '',
    `${errorPaint.yellow('?')} ${errorPaint.bold(path)} asks${time}:`,
    ...indented(message, io),
    ...(covers ? coversLines(covers).map((line) => `  ${clean(line)}`) : []),
  ])
  // Not in raw mode: the terminal edits the line, and Ctrl-C stays a signal.
  const lines = createInterface({ input: io.stdin, terminal: false })
  try {
    for (;;) {
      const next = nextLine(lines, signal)
      io.stderr.write('  yes or no, then a comment if you like: ')
      const line = await next
      if (line === undefined) {
        const why = signal.aborted ? clean(settledText(signal)) : 'no answer here; the question stays open'
        tell(context, ['', `  ${why}`])
        return undefined
      }
      const answer = readAnswer(line)
      if (answer) return { ...answer, by: systemIdentity() }
      tell(context, `  "${printableLine(line)}" is neither yes nor no`)
    }
  } finally {
    lines.close()
    // An open input would keep the process alive.
    io.stdin.pause()
  }
}

/** Who answered from another terminal, and how; or that the question was withdrawn. */
function settledText({ reason }: AbortSignal): string {
  if (!isAnswer(reason)) return 'the question was withdrawn'
  const { approved, by, comment } = reason
  const why = comment === undefined ? '' : `: ${comment}`
  return `answered elsewhere: ${approved ? 'approved' : 'rejected'} by ${identityText(by)}${why}`
}

function isAnswer(reason: unknown): reason is GivenAnswer {
  return typeof reason === 'object' && reason !== null && 'approved' in reason
}

/** Wraps between words, where the terminal would break inside them. */
function indented(text: string, { stderr }: Io): readonly string[] {
  const width = Math.max(8, (stderr.columns || 80) - 3)
  return text.split('\n').flatMap((line) => wrap(line, width).map((part) => `  ${part}`))
}

function nextLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (line?: string): void => {
      lines.off('line', end)
      lines.off('close', onEnd)
      signal.removeEventListener('abort', onEnd)
      resolve(line)
    }
    const onEnd = (): void => end()
    if (signal.aborted) return end()
    lines.once('line', end)
    lines.once('close', onEnd)
    signal.addEventListener('abort', onEnd)
  })
}

const words: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false }

/** `y`, `no`, `yes it is fine`; anything else is no answer. */
export function readAnswer(line: string): Pick<GivenAnswer, 'approved' | 'comment'> | undefined {
  const [, word = '', rest = ''] = /^\s*([a-z]+)\b[\s,:;.!-]*(.*?)\s*$/is.exec(line) ?? []
  const approved = words[word.toLowerCase()]
  if (approved === undefined) return undefined
  return rest === '' ? { approved } : { approved, comment: rest }
}
