/** The ways `validate` can answer, by the name that `--output` takes. */
import type { ValidateFormat } from '../../commands/validate.ts'
import type { CreateReport } from './report.ts'

/** Each brings its own modules. */
export const reports: Readonly<Record<ValidateFormat, () => Promise<CreateReport>>> = {
  text: async () => (await import('./text.ts')).textReport,
  json: async () => (await import('./json.ts')).jsonReport,
  sarif: async () => (await import('./sarif.ts')).sarifReport,
  github: async () => (await import('./github.ts')).githubReport,
}
