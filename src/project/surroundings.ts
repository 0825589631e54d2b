import type { Paint } from './paint.ts'

/** What of the process a project is read with. No terminal is needed. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder from which files are named, and `opsbook.yaml` is looked for. */
  readonly workingDirectory: string
  /** Where warnings go. */
  readonly stderr: { write(text: string): unknown }
}

/** The context of everything that works with a project. */
export interface ProjectContext {
  readonly io: Surroundings
  /** Colours for findings and warnings. */
  readonly errorPaint: Paint
}
