import { chooseDataDir } from '../configuration/data-dir.ts'
import { type Configuration, requirePart, withoutInvalidParts } from '../configuration/read-configuration.ts'
import type { ConfigurationDocument } from '../configuration/schema/configuration-schema.ts'
import type { Surroundings } from '../surroundings.ts'
import type { EngineFlags } from '../text/location-flags.ts'
import { chooseEngine, type EngineKind } from './choose-engine.ts'

/** Where a command finds its runs. */
export interface Location {
  readonly dataDir: string
  readonly kind: EngineKind
  /** Its parts that say where runs are, and those that were asked for, are valid. */
  readonly configuration: Configuration
}

/** Reads where runs are. A mistake in a part of `opsbook.yaml` that neither this nor `parts` needs is only a warning. */
export async function readLocation(
  flags: EngineFlags,
  io: Surroundings,
  parts: readonly (keyof ConfigurationDocument)[] = [],
): Promise<Location> {
  return withoutInvalidParts(io, '--data-dir FOLDER and --engine embedded', (configuration) => {
    const kind = chooseEngine(flags.engine, configuration, io)
    for (const part of kind === 'temporal' ? ['temporal' as const, ...parts] : parts)
      requirePart(configuration, part)
    return { kind, dataDir: chooseDataDir(flags.dataDir, configuration, io), configuration }
  })
}
