import { createInterface, type Interface } from 'node:readline'
import { formatDuration } from '../../../core/duration.ts'
import type { Question } from '../../../core/host.ts'
import type { GivenAnswer } from '../../../engine/engine.ts'
import { systemIdentity } from '../../../engine/record/system-user.ts'
import { type CommandContext, tell } from '../../context.ts'

/**
 * Asks the person at the terminal, whose name is that of the system user. Undefined: they have closed the input, or
 * nobody needs their answer any more.
 */
export async function askOnTerminal(
  context: CommandContext,
  { path, message, timeoutMs }: Question,
  signal: AbortSignal,
): Promise<GivenAnswer | undefined> {
  const { io, errorPaint } = context
  const time =
    timeoutMs === undefined ? '' : ` (within ${formatDuration(Math.ceil(timeoutMs / 1000) * 1000)})`
  tell(context, ['', `${errorPaint.yellow('?')} ${errorPaint.bold(path)} asks${time}:`, ...indented(message)])
  // Not in raw mode: the terminal edits the line, and Ctrl-C stays the signal that it is.
  const lines = createInterface({ input: io.stdin, terminal: false })
  try {
    for (;;) {
      const next = nextLine(lines, signal)
      io.stderr.write('  yes or no, then a comment if you like: ')
      const line = await next
      if (line === undefined) {
        tell(context, [
          '',
          signal.aborted ? '  no longer asked' : '  no answer here; the question stays open',
        ])
        return undefined
      }
      const answer = readAnswer(line)
      if (answer) return { ...answer, by: systemIdentity() }
    }
  } finally {
    lines.close()
    // Input that is read would keep the process alive.
    io.stdin.pause()
  }
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${line}`)
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
