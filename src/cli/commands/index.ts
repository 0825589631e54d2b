/** The commands, in the order of the help. Each is described here and brings its code only when it is called. */
import type { Command } from 'commander'
import type { Start } from '../context.ts'
import { actionsCommand } from './actions.ts'
import { callCommand } from './call.ts'
import { doctorCommand } from './doctor.ts'
import { runCommand } from './run.ts'
import { sandboxCommand } from './sandbox.ts'
import { validateCommand } from './validate.ts'

export const commands: readonly ((start: Start) => Command)[] = [
  runCommand,
  validateCommand,
  callCommand,
  actionsCommand,
  sandboxCommand,
  doctorCommand,
]
