/** `opsbook schema`: runbooks, or the configuration, for editors. */
import { resolve } from 'node:path'
import type { JsonSchema } from '../../core/json.ts'
import { editorSchema } from '../../load/editor-schema/index.ts'
import type { SchemaOptions } from '../commands/schema.ts'
import { configurationSchema } from '../configuration/schema.ts'
import { answer, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { lookUpActions } from '../load-actions.ts'
import { replaceFile } from './replace-file.ts'

/** Prints the schema, or writes it to a file. */
export async function schema(
  context: CommandContext,
  { file, configuration, withActions }: SchemaOptions,
): Promise<ExitCode> {
  const text = configuration ? configurationSchemaText() : await schemaText(context, withActions)
  if (file === undefined) {
    answer(context, text.trimEnd())
    return exitCodes.succeeded
  }
  const isNew = await replaceFile(resolve(context.io.workingDirectory, file), text)
  tell(context, isNew ? `${file} is written` : `${file} is up to date`)
  return exitCodes.succeeded
}

/** The schema of `opsbook.yaml`. */
export function configurationSchemaText(): string {
  return toText(configurationSchema)
}

/** The schema of runbooks. Says which modules with actions it takes no account of: any name passes that they can define. */
export async function schemaText(context: CommandContext, withActions = false): Promise<string> {
  const { actions, notLoaded } = await lookUpActions(context.io, withActions)
  if (notLoaded.length > 0)
    tell(
      context,
      `not in the schema: the actions of ${notLoaded.join(', ')}; "opsbook schema --with-actions" has them`,
    )
  return toText(editorSchema(actions, { hasOthers: notLoaded.length > 0 }))
}

function toText(document: JsonSchema): string {
  return `${JSON.stringify(document, null, 1)}\n`
}
