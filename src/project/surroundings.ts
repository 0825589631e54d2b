import type { Engine } from '../engine/index.ts'
import type { Paint } from './paint.ts'
import type { EngineFlags } from './text/location-flags.ts'

/** What of the process a project is read with. No terminal is needed. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder from which files are named, and `opsbook.yaml` is looked for. */
  readonly workingDirectory: string
  /** Where warnings go. */
  readonly stderr: { write(text: string): unknown }
  /** Calls the listener where the process shall end, until the returned function is called. Left out: it is never called. */
  onStopSignal?(listener: () => void): () => void
}

/** The context of everything that works with a project. */
export interface ProjectContext {
  readonly io: Surroundings
  /** The version of Opsbook. */
  readonly version: string
  /** Colours for findings and warnings. */
  readonly errorPaint: Paint
}

/** A project with its engine, for the time of one command or one listener. */
export interface OpenProject extends ProjectContext {
  readonly engine: Engine
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
}
