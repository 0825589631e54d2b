import { createInterface, type Interface } from 'node:readline'
import { formatDuration } from '../../../core/duration.ts'
import type { Question } from '../../../core/host.ts'
import { identityText } from '../../../core/record/identity.ts'
import type { GivenAnswer } from '../../../engine/engine.ts'
import { systemIdentity } from '../../../engine/record/system-user.ts'
import { type CommandContext, tell } from '../../context.ts'
import type { Io } from '../../io.ts'
import { printableLine } from '../../terminal/printable.ts'
import { wrap } from '../../terminal/wrap.ts'

/**
 * Asks the person at the terminal, whose name is that of the system user. Undefined: they have closed the input, or
 * nobody needs their answer any more.
 */
export async function askOnTerminal(
  context: CommandContext,
  { path, message, timeoutMs }: Question,
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
  ])
  // Not in raw mode: the terminal edits the line, and Ctrl-C stays the signal that it is.
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
    // Input that is read would keep the process alive.
    io.stdin.pause()
  }
}

/** Who has answered elsewhere, and what; or that the run needs no answer any more. */
function settledText({ reason }: AbortSignal): string {
  if (!isAnswer(reason)) return 'no longer asked'
  const { approved, by, comment } = reason
  const why = comment === undefined ? '' : `: ${comment}`
  return `answered elsewhere: ${approved ? 'approved' : 'rejected'} by ${identityText(by)}${why}`
}

function isAnswer(reason: unknown): reason is GivenAnswer {
  return typeof reason === 'object' && reason !== null && 'approved' in reason
}

/** Broken between words: the terminal would break inside of them. */
function indented(text: string, { stderr }: Io): readonly string[] {
  const width = Math.max(8, (stderr.columns || 80) - 3)
  return text.split('\n').flatMap((line) => wrap(line, width).map((part) => `  ${part}`))
}

function nextLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (line?: string): void => {
      lines.off('line', end)
      lines.off('close', onNothing)
      signal.removeEventListener('abort', onNothing)
      resolve(line)
    }
    const onNothing = (): void => end()
    if (signal.aborted) return end()
    lines.once('line', end)
    lines.once('close', onNothing)
    signal.addEventListener('abort', onNothing)
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
