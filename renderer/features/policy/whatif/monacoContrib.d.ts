/** Parts of Monaco that are loaded for their effect; the package has no declarations for them. */
declare module "monaco-editor/editor/contrib/*";
declare module "monaco-editor/features/codicon/*";
