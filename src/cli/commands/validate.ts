import { Command, InvalidArgumentError, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'
import { type WithActionsFlags, withActionsOption } from './options.ts'

/** How `validate` can answer. */
export type ValidateFormat = 'text' | 'json' | 'sarif' | 'github'

/** The flags of `validate`, as the parser hands them over. */
export interface ValidateOptions extends WithActionsFlags {
  readonly output: ValidateFormat
  readonly stdinName: string
  readonly maxWarnings?: number
}

export function validateCommand(start: Start): Command {
  return new Command('validate')
    .summary('every finding about runbooks, with line and column')
    .description('Checks runbooks without running them: every finding of every file. Nothing is sent.')
    .argument('<path...>', 'files and folders; - reads stdin')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text; json: one document; sarif: for code scanning; github: annotations of a workflow',
      )
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .option('--stdin-name <file>', 'the name that findings about stdin get', '<stdin>')
    .option('--max-warnings <number>', 'more warnings than this are an error', wholeNumber)
    .addOption(withActionsOption())
    .addHelpText('after', validateHelp)
    .action((paths: readonly string[], options: ValidateOptions) =>
      start(async (context) => {
        const { validate } = await import('../validate/index.ts')
        return validate(context, paths, options)
      }),
    )
}

const validateHelp = `${examples([
  'opsbook validate runbooks',
  'opsbook validate hello.yaml look.yaml --output json',
  'opsbook validate . --output sarif > opsbook.sarif',
  'cat hello.yaml | opsbook validate - --stdin-name hello.yaml',
])}

Of a folder, all *.yaml and *.yml files with "apiVersion: opsbook/…" are checked, at any depth. node_modules, hidden
folders, opsbook.yaml and links to folders are left out; a file that is named is checked whatever is in it.

No code of the project runs. A step with an action of your own is a warning, "not checked"; --with-actions checks it.

Exit codes: 0 no errors · 2 errors, or more warnings than --max-warnings`

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 0.')
}
