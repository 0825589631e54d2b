import { configurationDefaults } from '../configuration/index.ts'
import { type Configuration, requirePart } from '../configuration/read-configuration.ts'
import type { Surroundings } from '../surroundings.ts'
import { readWord } from '../text/index.ts'

/** The engine that executes runs: this process, or the workers of a Temporal server. */
export type EngineKind = 'embedded' | 'temporal'

const kinds: readonly EngineKind[] = ['embedded', 'temporal']

/** The engine of a command: flag, environment, configuration, then the embedded one. */
export function chooseEngine(
  flag: string | undefined,
  configuration: Configuration,
  { env }: Surroundings,
): EngineKind {
  if (flag !== undefined) return readWord(flag, kinds, '--engine: there is no engine')
  const fromEnvironment = env['OPSBOOK_ENGINE']
  if (fromEnvironment) return readWord(fromEnvironment, kinds, 'OPSBOOK_ENGINE: there is no engine')
  requirePart(configuration, 'engine')
  return configuration.document.engine ?? configurationDefaults.engine
}
