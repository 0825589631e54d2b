import { findServing } from '../../engine/embedded/serve-lock.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Refuses a run for a "serve" of another project, which would leave it alone. */
export function refuseOtherProject({
  dataDir,
  project,
}: {
  readonly dataDir: string
  readonly project: string
}): void {
  const serving = findServing(dataDir)
  if (serving?.project === project) return
  const message =
    serving === undefined
      ? `the "opsbook serve" that works in ${dataDir} is still starting`
      : `the "opsbook serve" that works in ${dataDir} serves the project ${serving.project}, and not ${project}`
  throw new CommandError(exitCodes.environment, message, {
    hints: [
      serving === undefined
        ? 'try again'
        : 'start the run from that folder, or name another folder with --data-dir',
    ],
  })
}
