import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { withActionsOption } from '../shared/options.ts'

export const schemaCommand: DefineCommand = (start) =>
  new OpsbookCommand('schema')
    .summary('print the JSON Schema of runbooks, test files or opsbook.yaml, for editors')
    .description(
      'Prints a JSON Schema of runbooks with the built-in actions. Editors with a YAML language server use it to complete, explain and check runbooks.',
    )
    .option('--configuration', 'print the schema of opsbook.yaml instead')
    .option('--tests', 'print the schema of test files instead')
    .option('--file <file>', 'write the schema to this file')
    .addOption(withActionsOption())
    .withExamples(
      [
        'opsbook schema --file runbook.schema.json',
        'opsbook schema --configuration --file opsbook.schema.json',
        'opsbook schema --tests --file tests.schema.json',
        'opsbook schema | jq .definitions.retry',
      ],
      `"opsbook init" sets this up for VS Code. In other editors with a YAML language server, add this as the first line:
  # yaml-language-server: $schema=./runbook.schema.json`,
    )
    .executes(start, async () => (await import('./index.ts')).schema)
