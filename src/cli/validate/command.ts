import { InvalidArgumentError, Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { withActionsOption } from '../shared/options.ts'

export const validateCommand: DefineCommand = (start) =>
  new OpsbookCommand('validate')
    .summary('check runbooks: every finding, with line and column')
    .description(
      'Checks runbooks without running them, and lists every finding of every file. Nothing is sent.',
    )
    .argument('<path...>', 'files, folders and names of runbooks; - reads stdin')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text; json: one document; sarif: for code scanning; github: annotations of a workflow',
      )
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .option('--stdin-name <file>', 'the file name for findings about stdin', '<stdin>')
    .option('--max-warnings <number>', 'fail if there are more warnings than this', wholeNumber)
    .addOption(withActionsOption())
    .withExamples(
      [
        'opsbook validate runbooks',
        'opsbook validate hello.yaml look.yaml --output json',
        'opsbook validate . --output sarif > opsbook.sarif',
        'cat hello.yaml | opsbook validate - --stdin-name hello.yaml',
      ],
      `In a folder, all *.yaml and *.yml files with "apiVersion: opsbook/…" are checked, at any depth. node_modules, hidden
folders, opsbook.yaml and links to folders are left out. A file that you name is always checked.

No code of the project is executed. A step with your own action is a warning, "not checked", unless you add --with-actions.

Exit codes: 0 no errors · 2 errors, or more warnings than --max-warnings`,
    )
    .executes(start, async () => (await import('./index.ts')).validate)

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 0.')
}
