import { showInvisibleInJson } from '../../core/text/index.ts'
import type { EngineFlags, Paint, ProjectContext } from '../../project/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Io } from './io.ts'
import type { OutputFlags } from './options.ts'

/** The context of every command. */
export interface CommandContext extends ProjectContext {
  readonly io: Io
  /** Colours for answers. */
  readonly paint: Paint
  readonly isVerbose: boolean
}

/** The end of a command: its exit code. Without one it has succeeded. */
export type Completion = Promise<ExitCode | undefined> | Promise<void>

/** Runs the body of a command with its context, and keeps its exit code. */
export type Start = (body: (context: CommandContext) => Completion) => Promise<void>

/** Writes lines of an answer to stdout. */
export function answer(context: CommandContext, lines: string | readonly string[]): void {
  context.io.stdout.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`)
}

/** Writes lines about progress and problems to stderr. */
export function tell(context: CommandContext, lines: string | readonly string[]): void {
  context.io.stderr.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`)
}

/** Prints the warnings of a connection. */
export function printWarnings(
  from: { readonly warnings: readonly string[] } | undefined,
  context: CommandContext,
): void {
  const head = context.errorPaint.yellow('warning:')
  const warnings = from?.warnings ?? []
  if (warnings.length > 0)
    tell(
      context,
      warnings.map((warning) => `${head} ${warning}`),
    )
}

/** Writes a document to stdout. */
export function answerJson(context: CommandContext, document: unknown): void {
  answer(context, showInvisibleInJson(JSON.stringify(document, null, 2)))
}

/** The result of a command without further output. */
export interface Done<T extends object = object> {
  readonly document: T
  readonly text: string
  /** Further lines for the user. */
  readonly more?: readonly string[]
  /** The words of the next command to run. */
  readonly next?: string
}

/** Prints what was done, in the format of `--output`. */
export function answerDone(
  context: CommandContext,
  options: EngineFlags & OutputFlags,
  { document, text, more = [], next }: Done,
): void {
  if (options.output === 'json') {
    answerJson(context, document)
    return
  }
  const command = next === undefined ? [] : [`  ${`opsbook ${next} ${locationFlags(options)}`.trim()}`]
  answer(context, [printableLine(text), ...more, ...command])
}
