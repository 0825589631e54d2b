import type { ExitCode } from './exit-codes.ts'
import type { Io } from './io.ts'
import type { Paint } from './terminal/paint.ts'

/** What every command gets. */
export interface CommandContext {
  readonly io: Io
  /** The version of Opsbook. */
  readonly version: string
  /** Colours for answers. */
  readonly paint: Paint
  /** Colours for progress and errors. */
  readonly errorPaint: Paint
  readonly isVerbose: boolean
}

/** Runs the body of a command with its context, and keeps the exit code it answers with. */
export type Start = (body: (context: CommandContext) => Promise<ExitCode>) => Promise<void>

/** Writes lines of an answer to stdout. */
export function answer(context: CommandContext, lines: string | readonly string[]): void {
  context.io.stdout.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`)
}

/** Writes lines for people to stderr. */
export function tell(context: CommandContext, lines: string | readonly string[]): void {
  context.io.stderr.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`)
}

/** Writes a document to stdout. */
export function answerJson(context: CommandContext, document: unknown): void {
  answer(context, JSON.stringify(document, null, 2))
}
