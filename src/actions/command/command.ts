import { checkInput, refuseProblems } from '../../api/validation/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import { RunbookError } from '../../core/run-error.ts'
import { exactSize } from '../../core/text/index.ts'
import { array, byName, choice, closed, integer, nonEmpty, object, string } from '../../core/write-schema.ts'
import type { Action } from '../action.ts'
import { safetyArgument } from '../safety-argument.ts'
import { mostJsonOutput, mostKeptOutput } from './collect.ts'
import { type CommandRules, commandProblem } from './command-rules.ts'
import { asCommand, commandProblems, hostOf, splitTarget } from './request.ts'

const word = { type: ['string', 'number', 'boolean'] } as const
const secretName = string('Name of a secret in secrets.')
const bySecret = closed(['secret'], { secret: secretName })

const description: ActionDescription = {
  name: 'core/command',
  summary: 'Run a command on this machine, or on another by ssh',
  safety: 'create',
  safetyBy: {
    argument: 'safety',
    by: 'safety',
    values: { read: 'read', idempotent: 'idempotent' },
    leftOut: 'create',
  },
  usesNoConnection: true,
  savesFile: 'itself',
  defaultTimeoutMs: 600_000,
  findOut: 'Check on the machine itself: what the command was to change shows whether it ran, and how far.',
  secretNames: ['secret-env.*.secret', 'on.key.secret'],
  errors: [
    'CommandFailed',
    'CommandNotAllowed',
    'CommandNotStarted',
    'ConnectionLost',
    'AttemptTimeout',
    'OutsideSandbox',
    'MissingSecret',
  ],
  example: { command: ['systemctl', 'restart', 'nginx'], safety: 'idempotent' },
  input: closed([], {
    on: object(
      'Another machine, by ssh. Default: the machine that makes the calls.',
      {
        ssh: nonEmpty('user@host, or a host. It must be in commands.ssh of opsbook.yaml.', {
          examples: ['deploy@web-01.prod.example'],
        }),
        port: integer('Default: what the configuration of ssh says, else 22.', {
          minimum: 1,
          maximum: 65_535,
        }),
        key: { ...bySecret, description: 'The private key. Default: the agent and the keys of ssh.' },
      },
      { required: ['ssh'], examples: [{ ssh: 'deploy@web-01.prod.example', key: { secret: 'deploy_key' } }] },
    ),
    command: array('The program and its arguments, read by no shell. The program is written out.', word, {
      minItems: 1,
      examples: [['systemctl', 'restart', 'nginx']],
    }),
    script: nonEmpty('A script for /bin/sh, without expressions: values go in by env.', {
      examples: ['df -h "$MOUNT"'],
    }),
    env: byName('Variables of the command.', word, { examples: [{ DEBIAN_FRONTEND: 'noninteractive' }] }),
    'secret-env': byName('Variables with secrets, which are given by name.', bySecret, {
      examples: [{ PGPASSWORD: { secret: 'db_password' } }],
    }),
    ok: array(
      'The exit codes that count as success. Default: 0.',
      { type: 'integer', minimum: 0, maximum: 255 },
      { minItems: 1, examples: [[0, 2]] },
    ),
    safety: safetyArgument(
      'Whether a repeat of the command is safe.',
      'Never repeated when its end is not known. The default.',
    ),
    output: choice(
      'What stdout is in the outputs.',
      {
        text: 'A text, without the line breaks at its end.',
        lines: 'A list of lines.',
        json: 'Parsed JSON.',
      },
      { default: 'text' },
    ),
  }),
  output: closed(['code', 'stdout', 'stderr'], {
    code: integer('The exit code; 128 and the number of a signal that ended it.'),
    stdout: {
      description: `What it wrote, as \`output\` says: the first ${exactSize(mostKeptOutput)}, of lines the whole ones; JSON up to ${exactSize(mostJsonOutput)}.`,
    },
    stderr: string(`The last ${exactSize(mostKeptOutput)} of what it wrote there.`),
  }),
}

/** `core/command`: one command, here or by ssh, where the rules allow it. What runs it is loaded with the first one. */
export function createCommandAction(rules: CommandRules = {}): Action {
  const checked: ActionDescription = {
    ...description,
    check: commandProblems,
    forbidden(input, isKnown) {
      const host = hostOf(input['on'])
      // A target that is none is refused as what it is.
      if (!isKnown('on') || (input['on'] !== undefined && host === undefined)) return []
      const message = commandProblem(rules, host)
      return message === undefined ? [] : [{ path: input['on'] === undefined ? '' : 'on.ssh', message }]
    },
  }
  return {
    ...checked,
    checkInput: (input) => checkInput(checked, input).problems,
    async run(input, context) {
      refuseProblems(checked.name, checkInput(checked, input).problems)
      const { on } = asCommand(input)
      const problem = commandProblem(rules, on && splitTarget(on.ssh).host)
      if (problem !== undefined)
        throw new RunbookError('CommandNotAllowed', `${problem}; nothing was run`, { notSent: true })
      const { runCommand } = await import('./run-command.ts')
      return runCommand(checked, input, context)
    },
  }
}
