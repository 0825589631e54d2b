/** `opsbook schema`: the language for editors. */
import { resolve } from 'node:path'
import { editorSchema } from '../../load/editor-schema/index.ts'
import type { SchemaOptions } from '../commands/schema.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { loadActions } from '../load-actions.ts'
import { replaceFile } from './replace-file.ts'

/** Prints the schema, or writes it to a file. */
export async function schema(context: CommandContext, { file }: SchemaOptions): Promise<ExitCode> {
  const text = await schemaText(context)
  if (file === undefined) {
    answer(context, text.trimEnd())
    return exitCodes.succeeded
  }
  const isNew = await replaceFile(resolve(context.io.workingDirectory, file), text)
  tell(context, isNew ? `${file} is written` : `${file} is up to date`)
  return exitCodes.succeeded
}

/** The schema with the actions known here. */
export async function schemaText({ io }: CommandContext): Promise<string> {
  return `${JSON.stringify(editorSchema(await loadActions(io)), null, 1)}\n`
}
