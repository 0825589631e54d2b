import type { EngineFlags, OutputFlags } from '../commands/options.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { printableLine } from './printable.ts'

/** What a command has done that has no more to show. */
export interface Done {
  readonly document: Readonly<Record<string, unknown>>
  readonly text: string
  /** The words of the command that shows, or does, what comes next. */
  readonly next?: string
}

/** Says what has been done, in the format that was asked for. */
export function tellDone(
  context: CommandContext,
  options: EngineFlags & OutputFlags,
  { document, text, next }: Done,
): void {
  if (options.output === 'json') {
    answerJson(context, document)
    return
  }
  const command = next === undefined ? [] : [`  ${`opsbook ${next} ${placeFlags(options)}`.trim()}`]
  answer(context, [printableLine(text), ...command])
}
