// Search without a server: browsers run no worker for a page of the file system, so the search
// runs in a hidden frame instead. The theme looks for a worker of this name; nothing is loaded
// from elsewhere.
(() => {
  if (location.protocol !== "file:") return;

  const BESIDE = `
    window.postMessage = data => frameElement.worker.receive(data);
    window.importScripts = (...urls) => urls.reduce((before, url) => before.then(() =>
      new Promise((loaded, failed) => {
        const script = document.createElement("script");
        Object.assign(script, { src: url, onload: loaded, onerror: failed });
        document.body.append(script);
      })), Promise.resolve());`;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.worker = this;
      const source = new URL(url, document.baseURI).href.replaceAll('"', "%22");
      this.frame.srcdoc =
        `<body><script>${BESIDE}</` + `script><script src="${source}"></` + "script></body>";
      this.ready = new Promise(loaded => (this.frame.onload = loaded));
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = window.Worker = IFrameWorker;
})();
