/** The ways `validate` can answer, by the name that `--output` takes. */
import type { ValidateFormat } from '../../commands/validate.ts'
import { githubReport } from './github.ts'
import { jsonReport } from './json.ts'
import type { CreateReport } from './report.ts'
import { sarifReport } from './sarif.ts'
import { textReport } from './text.ts'

export const reports: Readonly<Record<ValidateFormat, CreateReport>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  github: githubReport,
}
