import { clientPage } from './client.ts'
import { expressionsPage } from './expressions.ts'
import type { Page } from './fill-page.ts'

/** Every page that is generated, in part or as a whole. */
export const pages: readonly Page[] = [clientPage, expressionsPage]
