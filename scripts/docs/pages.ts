import { actionsPage } from './actions.ts'
import { clientPage } from './client.ts'
import { errorsPage } from './errors.ts'
import { expressionsPage } from './expressions.ts'
import type { Page } from './fill-page.ts'
import { languagePage } from './language.ts'

/** Every page that is generated, in part or as a whole. */
export const pages: readonly Page[] = [actionsPage, clientPage, errorsPage, expressionsPage, languagePage]
