import { InvalidArgumentError, Option } from 'commander'
import type { Start } from '../shared/context.ts'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, gather, runArgument, withActionsOption } from '../shared/options.ts'

export const testCommand: DefineCommand = (start) =>
  new OpsbookCommand('test')
    .summary('test runbooks with scripted calls, in virtual time')
    .description(
      'Runs the tests of runbooks: files that end in .test.yaml. Calls and answers are scripted, and time is virtual. No connection is opened, except to a sandbox of this process with --against sandbox.',
    )
    .argument('[path...]', 'test files, runbooks by path or name, and folders; default: this folder')
    .option('--only <text>', 'run only the tests whose names hold this text')
    .addOption(
      new Option(
        '--against <world>',
        'answer the calls of the service by a sandbox for each test, over HTTP; everything else stays scripted',
      ).choices(['sandbox']),
    )
    .option('--coverage', 'print how much of each runbook its tests reach, and what they do not, by line')
    .option('--min-coverage <percent>', 'fail if a runbook has less coverage than this', percent)
    .option('--watch', 'run the tests of files again when they, their runbooks or recordings change')
    .option('--update', 'write the values of runs in place of expected ones, and print what was replaced')
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
    .withExamples(
      [
        'opsbook test',
        'opsbook test runbooks/answer-incident.test.yaml --only "a no"',
        'opsbook test runbooks/answer-incident.yaml --coverage',
        'opsbook test look.test.yaml --update',
        'opsbook test look.test.yaml --against sandbox --only "one host"',
        'opsbook test --min-coverage 80 --output junit > tests.xml',
      ],
      `A call without a script fails its test as UnscriptedCall. A runbook stands for the test file beside it.

Exit codes: 0 all tests passed · 1 a test failed · 2 a test file or its runbook is wrong`,
    )
    .executes(start, async () => (await import('./index.ts')).test)
    .addCommand(recordCommand(start))

function recordCommand(start: Start): OpsbookCommand {
  return new OpsbookCommand('record')
    .summary('record the calls of a run for the scripts of tests')
    .description(
      'Writes the calls of a run to recordings/NAME.json. Sensitive values and known secrets become stable names. The file is searched for them: if one is found, nothing is written.',
    )
    .argument('<run>', runArgument)
    .requiredOption('--as <name>', 'the name of the recording')
    .option('--rename <field>', 'replace the values of this field by names; repeatable', gather)
    .option('--replace', 'write over a recording of this name')
    .option('--folder <folder>', 'the folder of the test file', '.')
    .addOption(dataDirOption())
    .addOption(engineOption())
    .addOption(withActionsOption())
    .withExamples(
      [
        'opsbook test record latest --as disk-full',
        'opsbook test record latest --as disk-full --rename hosts --folder runbooks',
      ],
      `A test uses it with { recording: NAME } in place of { output: … }.`,
    )
    .executes(start, async () => (await import('./record.ts')).recordTest)
}

function percent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 0 to 100.')
}
