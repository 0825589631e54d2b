import { Command, Option } from 'commander'
import type { Start } from '../context.ts'
import { examples } from './examples.ts'

/** The flags of `validate`, as the parser hands them over. */
export interface ValidateOptions {
  readonly output: 'text' | 'json'
}

export function validateCommand(start: Start): Command {
  return new Command('validate')
    .summary('every finding about runbooks, with line and column')
    .description('Checks runbooks without running them: every finding of every file. Nothing is sent.')
    .argument('<path...>', 'files and folders; - reads stdin')
    .addOption(new Option('-o, --output <format>', 'how to answer').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      examples([
        'opsbook validate runbooks',
        'opsbook validate check-host.yaml other.yaml --output json',
        'cat check-host.yaml | opsbook validate -',
      ]),
    )
    .action((paths: readonly string[], options: ValidateOptions) =>
      start(async (context) => {
        const { validate } = await import('../validate/index.ts')
        return validate(context, paths, options)
      }),
    )
}
