/** The commands, in the order of the help. A command line loads the description of its own command only. */
import type { Command } from 'commander'
import type { Start } from '../context.ts'

/** Describes a command to the parser. */
export type DefineCommand = (start: Start) => Command

const commands: Readonly<Record<string, () => Promise<DefineCommand>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  run: async () => (await import('./run.ts')).runCommand,
  start: async () => (await import('./start.ts')).startCommand,
  resume: async () => (await import('./resume.ts')).resumeCommand,
  approve: async () => (await import('./answer.ts')).approveCommand,
  reject: async () => (await import('./answer.ts')).rejectCommand,
  cancel: async () => (await import('./cancel.ts')).cancelCommand,
  pause: async () => (await import('./pause.ts')).pauseCommand,
  unpause: async () => (await import('./pause.ts')).unpauseCommand,
  decide: async () => (await import('./decide.ts')).decideCommand,
  runs: async () => (await import('./runs.ts')).runsCommand,
  show: async () => (await import('./show.ts')).showCommand,
  watch: async () => (await import('./watch.ts')).watchCommand,
  logs: async () => (await import('./logs.ts')).logsCommand,
  events: async () => (await import('./events.ts')).eventsCommand,
  triggers: async () => (await import('./triggers.ts')).triggersCommand,
  schedules: async () => (await import('./schedules.ts')).schedulesCommand,
  prune: async () => (await import('./prune.ts')).pruneCommand,
  validate: async () => (await import('./validate.ts')).validateCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  call: async () => (await import('./call.ts')).callCommand,
  actions: async () => (await import('./actions.ts')).actionsCommand,
  schema: async () => (await import('./schema.ts')).schemaCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  dev: async () => (await import('./dev.ts')).devCommand,
  worker: async () => (await import('./worker.ts')).workerCommand,
  'replay-check': async () => (await import('./replay-check.ts')).replayCheckCommand,
  temporal: async () => (await import('./temporal.ts')).temporalCommand,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

/** The command that these words begin with; all of them for a help text, and where there is no such command. */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const [first = ''] = words
  const only = Object.hasOwn(commands, first) ? commands[first] : undefined
  return only ? [await only()] : Promise.all(Object.values(commands).map((load) => load()))
}
