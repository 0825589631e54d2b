/** `opsbook schema`: the JSON Schema of runbooks, of test files or of the configuration, for editors. */

import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { JsonSchema } from '../../core/json.ts'
import { editorSchema } from '../../load/editor-schema/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import { configurationSchema } from '../../project/configuration/schema/index.ts'
import { reasonOf, refuseToReplaceSpecial } from '../../project/files/index.ts'
import { CommandError } from '../../project/index.ts'
import { testFileSchema } from '../../testing/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import type { WithActionsFlags } from '../shared/options.ts'

/** The flags of `schema`, as the parser hands them over. */
export interface SchemaOptions extends WithActionsFlags {
  readonly file?: string
  readonly configuration?: boolean
  readonly tests?: boolean
}

/** Prints the schema, or writes it to a file. */
export async function schema(
  context: CommandContext,
  { file, configuration, tests, withActions }: SchemaOptions,
): Promise<void> {
  const text = configuration
    ? configurationSchemaText()
    : tests
      ? testsSchemaText()
      : await schemaText(context, withActions)
  if (file === undefined) return answer(context, text.trimEnd())
  const isNew = await replaceFile(resolve(context.io.workingDirectory, file), text)
  tell(context, isNew ? `${file} is written` : `${file} is up to date`)
}

/** The schema of `opsbook.yaml`. */
export function configurationSchemaText(): string {
  return toText(configurationSchema)
}

/** The schema of test files. */
export function testsSchemaText(): string {
  return toText(testFileSchema)
}

/** The schema of runbooks. Reports the modules that are not loaded, whose actions it accepts without checks. */
export async function schemaText(context: CommandContext, withActions = false): Promise<string> {
  const { actions, notLoaded } = await lookUpActions(context.io, withActions)
  if (notLoaded.length > 0)
    tell(
      context,
      `not in the schema: the actions of ${notLoaded.join(', ')}; "opsbook schema --with-actions" includes them`,
    )
  return toText(editorSchema(actions, { hasOthers: notLoaded.length > 0 }))
}

function toText(document: JsonSchema): string {
  return `${JSON.stringify(document, null, 1)}\n`
}

/** Replaces a file atomically. Returns false if it already had this text. */
async function replaceFile(file: string, text: string): Promise<boolean> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.partial`
  try {
    refuseToReplaceSpecial(file)
    const before = await readFile(file, 'utf8').catch(() => undefined)
    if (before === text) return false
    await writeFile(temporary, text)
    await rename(temporary, file)
    return true
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new CommandError('environment', `${file} cannot be written: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}
