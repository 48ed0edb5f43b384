import { Content, type Theme, useData } from "vitepress";
import DefaultTheme, { VPHomeContent, VPHomeFeatures, VPHomeHero } from "vitepress/theme";
import { defineComponent, h, onMounted, ref, useId, watch } from "vue";
// @ts-expect-error Vite reads it.
import "./style.css";

/** A diagram in the colours of the page. Its library is loaded only by a page that has one. */
const Mermaid = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const { isDark } = useData();
    const id = useId();
    const svg = ref("");
    const draw = async () => {
      // @ts-expect-error The built file has no types. Of the sources, Vite makes the same in a third more time.
      const { default: mermaid } = await import("mermaid/dist/mermaid.esm.min.mjs");
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? "dark" : "neutral",
        themeVariables: { fontSize: "14px" },
        flowchart: { nodeSpacing: 16, rankSpacing: 36, padding: 8 },
        er: {
          minEntityWidth: 40,
          minEntityHeight: 32,
          entityPadding: 6,
          nodeSpacing: 16,
          diagramPadding: 4,
        },
      });
      const drawn = await mermaid.render(`diagram-${id}`, decodeURIComponent(code));
      // It shrinks to the page until its text has 12 px. What is wider scrolls.
      svg.value = drawn.svg.replace(
        /max-width: ([\d.]+)px/,
        (style: string, width: string) => `${style}; min-width: ${(Number(width) * 12) / 14}px`,
      );
    };
    onMounted(draw);
    watch(isDark, draw);
    // Those who have no mouse scroll by keys, so it takes the focus.
    return () =>
      h("div", { class: "diagram", role: "group", "aria-label": "Diagram", tabindex: 0, innerHTML: svg.value });
  },
});

/** VitePress's own first page has no element `main`. */
const FirstPage = () =>
  h("main", [h(VPHomeHero), h(VPHomeFeatures), h(VPHomeContent, null, { default: () => h(Content) })]);

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("Mermaid", Mermaid).component("FirstPage", FirstPage),
} satisfies Theme;
