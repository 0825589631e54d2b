import { suggest } from '../../core/text/index.ts'
import { CommandError } from '../command-error.ts'
import { configurationDefaults } from '../configuration/index.ts'
import { type Configuration, requirePart } from '../configuration/read-configuration.ts'
import type { Surroundings } from '../surroundings.ts'

/** The engine that executes runs: this process, or the workers of a Temporal server. */
export type EngineKind = 'embedded' | 'temporal'

const kinds: readonly EngineKind[] = ['embedded', 'temporal']

/** The engine of a command: flag, environment, configuration, then the embedded one. */
export function chooseEngine(
  flag: string | undefined,
  configuration: Configuration,
  { env }: Surroundings,
): EngineKind {
  if (flag !== undefined) return readKind(flag, '--engine')
  const fromEnvironment = env['OPSBOOK_ENGINE']
  if (fromEnvironment) return readKind(fromEnvironment, 'OPSBOOK_ENGINE')
  requirePart(configuration, 'engine')
  return configuration.document.engine ?? configurationDefaults.engine
}

function readKind(given: string, origin: string): EngineKind {
  const kind = kinds.find((name) => name === given)
  if (kind) return kind
  throw new CommandError('usage', `${origin}: there is no engine "${given}"`, {
    hints: [suggest(given, kinds)],
  })
}
