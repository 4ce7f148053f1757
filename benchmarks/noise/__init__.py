"""The noise protocol of Shi, Xuan, Oztoprak and Nocedal (arXiv 2102.09762)."""
