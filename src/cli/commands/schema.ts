import { Command } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { type WithActionsFlags, withActionsOption } from './options.ts'

/** The flags of `schema`, as the parser hands them over. */
export interface SchemaOptions extends WithActionsFlags {
  readonly file?: string
  readonly configuration?: boolean
}

export function schemaCommand(start: Start): Command {
  return new Command('schema')
    .summary('runbooks, or opsbook.yaml, as a JSON Schema: completion and help in editors')
    .description(
      'Prints a JSON Schema of runbooks with the built-in actions; with --with-actions, also with those of opsbook.yaml. Editors with a YAML language server complete, explain and check runbooks with it.',
    )
    .option('--configuration', 'the schema of opsbook.yaml instead')
    .option('--file <file>', 'write it to this file instead')
    .addOption(withActionsOption())
    .addHelpText(
      'after',
      `${examples(['opsbook schema --file runbook.schema.json', 'opsbook schema --configuration --file opsbook.schema.json', 'opsbook schema | jq .definitions.retry'])}

"opsbook init" sets a folder up for it. In any other editor with a YAML language server, a first line does the same:
  # yaml-language-server: $schema=./runbook.schema.json`,
    )
    .action((options: SchemaOptions) =>
      start(async (context) => {
        const { schema } = await import('../schema/index.ts')
        return schema(context, options)
      }),
    )
}
