import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import {
  connectionOption,
  inputOption,
  inputsFileOption,
  outputOption,
  revealOption,
} from '../shared/options.ts'

export const callCommand: DefineCommand = (start) =>
  new OpsbookCommand('call')
    .summary('call one action, without a runbook')
    .description(
      'Calls one action and prints its whole answer. A list that is too long for one call is split, and the results are merged.',
    )
    .argument('<action>', 'the name of the action; "opsbook actions" lists them')
    .addOption(inputOption('argument'))
    .addOption(inputsFileOption('argument'))
    .option('--save-as <file>', 'the file to write an export to')
    .addOption(connectionOption())
    .option('--sandbox', 'start a sandbox for this call and use it')
    .addOption(outputOption())
    .addOption(revealOption())
    .withExamples(
      [
        'opsbook call monit/tools/catalog --input target_locator=web-01 --sandbox',
        'opsbook call monit/tools/invoke -i target_locator=web-01 -i "tools=[{tool: os.overview}]" --sandbox',
        'opsbook call core/http --connection github -i path=/rate_limit',
        'opsbook call core/command -i "command=[uptime]" -i "on={ssh: web-01.prod.example}"',
        'opsbook call safari/session/export -i session_id=sess_short --save-as session.ndjson --sandbox',
      ],
      `Exit codes: 0 everything succeeded · 1 the call or one of its items failed · 2 invalid arguments, nothing was sent
4 it is unknown whether a create was executed · 5 no connection, no valid key, or the file cannot be written`,
    )
    .executes(start, async () => (await import('./index.ts')).call)
