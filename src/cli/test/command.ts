import { Command, InvalidArgumentError, Option } from 'commander'
import type { Start } from '../shared/context.ts'
import { examples, withActionsOption } from '../shared/options.ts'
import type { TestOptions } from './index.ts'

export function testCommand(start: Start): Command {
  return new Command('test')
    .summary('test runbooks with scripted calls, in virtual time')
    .description(
      'Runs the tests of runbooks: files that end in .test.yaml. Calls and answers are scripted, and time is virtual. No connection is opened.',
    )
    .argument('[path...]', 'test files, runbooks and folders; default: this folder')
    .option('--only <text>', 'run only the tests whose names hold this text')
    .option('--coverage', 'print how much of each runbook its tests reach, and what they do not, by line')
    .option('--min-coverage <percent>', 'fail if a runbook has less coverage than this', percent)
    .option('--strict', 'fail if a script is used by no test')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text; json: one document; junit: for CI systems; github: annotations of a workflow',
      )
        .choices(['text', 'json', 'junit', 'github'])
        .default('text'),
    )
    .addOption(withActionsOption())
    .addHelpText('after', testHelp)
    .action((paths: readonly string[], options: TestOptions) =>
      start(async (context) => {
        const { test } = await import('./index.ts')
        return test(context, paths, options)
      }),
    )
}

const testHelp = `${examples([
  'opsbook test',
  'opsbook test runbooks/answer-incident.test.yaml --only "a no"',
  'opsbook test runbooks/answer-incident.yaml --coverage',
  'opsbook test --min-coverage 80 --output junit > tests.xml',
])}

A call without a script fails its test as UnscriptedCall. A runbook stands for the test file beside it.

Exit codes: 0 all tests passed · 1 a test failed · 2 a test file or its runbook is wrong`

function percent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 0 to 100.')
}
