/** The commands in the order of the help. A command line loads only the definition of its own command. */
import type { DefineCommand } from './shared/opsbook-command.ts'

const commands: Readonly<Record<string, () => Promise<DefineCommand>>> = {
  init: async () => (await import('./init/command.ts')).initCommand,
  run: async () => (await import('./run/command.ts')).defineRunCommand,
  start: async () => (await import('./start/command.ts')).startCommand,
  resume: async () => (await import('./resume/command.ts')).resumeCommand,
  inbox: async () => (await import('./inbox/command.ts')).inboxCommand,
  approve: async () => (await import('./answer/command.ts')).approveCommand,
  reject: async () => (await import('./answer/command.ts')).rejectCommand,
  answer: async () => (await import('./answer/command.ts')).answerCommand,
  cancel: async () => (await import('./cancel/command.ts')).cancelCommand,
  pause: async () => (await import('./pause/command.ts')).pauseCommand,
  unpause: async () => (await import('./pause/command.ts')).unpauseCommand,
  decide: async () => (await import('./decide/command.ts')).decideCommand,
  runs: async () => (await import('./runs/command.ts')).runsCommand,
  show: async () => (await import('./show/command.ts')).showCommand,
  watch: async () => (await import('./watch/command.ts')).watchCommand,
  logs: async () => (await import('./logs/command.ts')).logsCommand,
  events: async () => (await import('./events/command.ts')).eventsCommand,
  triggers: async () => (await import('./triggers/command.ts')).triggersCommand,
  schedules: async () => (await import('./schedules/command.ts')).schedulesCommand,
  prune: async () => (await import('./prune/command.ts')).pruneCommand,
  validate: async () => (await import('./validate/command.ts')).validateCommand,
  test: async () => (await import('./test/command.ts')).testCommand,
  rehearse: async () => (await import('./rehearse/command.ts')).rehearseCommand,
  plan: async () => (await import('./plan/command.ts')).planCommand,
  graph: async () => (await import('./graph/command.ts')).graphCommand,
  call: async () => (await import('./call/command.ts')).callCommand,
  actions: async () => (await import('./actions/command.ts')).actionsCommand,
  schema: async () => (await import('./schema/command.ts')).schemaCommand,
  serve: async () => (await import('./serve/command.ts')).serveCommand,
  console: async () => (await import('./console/command.ts')).consoleCommand,
  audit: async () => (await import('./audit/command.ts')).auditCommand,
  tokens: async () => (await import('./tokens/command.ts')).tokensCommand,
  dev: async () => (await import('./dev/command.ts')).devCommand,
  worker: async () => (await import('./worker/command.ts')).workerCommand,
  'replay-check': async () => (await import('./replay-check/command.ts')).replayCheckCommand,
  temporal: async () => (await import('./temporal/command.ts')).temporalCommand,
  sandbox: async () => (await import('./sandbox/command.ts')).sandboxCommand,
  doctor: async () => (await import('./doctor/command.ts')).doctorCommand,
}

/** Loads the command that these words begin with; all commands for the help, or if there is no such command. */
export async function loadCommands(words: readonly string[]): Promise<readonly DefineCommand[]> {
  const [first = ''] = words
  const only = Object.hasOwn(commands, first) ? commands[first] : undefined
  return only ? [await only()] : Promise.all(Object.values(commands).map((load) => load()))
}
