import { renderToString } from 'preact-render-to-string'
import type { PageState } from '../state.ts'
import type { PageAssets, PageName, StateOf } from './page-state.ts'
import { App, titleOf } from './pages.tsx'
import { clock } from './parts/clock.ts'

/** The folder of addresses that the files of the pages are served under. */
const assetsPath = '/assets/'

/**
 * Renders the document of a page: readable without scripts, with the state inside from which a browser continues. The
 * files are those of `dist/console/manifest.json`.
 */
export function renderPage(given: PageState, assets: PageAssets): string {
  const state = given as StateOf<PageName>
  // Rendering is synchronous: no other request sees this time.
  clock.value = Date.parse(state.at)
  const body = renderToString(<App state={state} />)
  const embedded = JSON.stringify(state).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(titleOf(state))}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetsPath}${assets['console.css']}">
<script type="module" src="${assetsPath}${assets['console.js']}"></script>
</head>
<body>
<div id="app">${body}</div>
<script type="application/json" id="state">${embedded}</script>
</body>
</html>
`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
