/** The pages of the console: state in, a whole HTML document out. A browser continues from the state inside it. */
export type { PageAssets, PageData, PageName, ShownRun, StateOf } from './page-state.ts'
export { renderPage } from './render-page.tsx'
